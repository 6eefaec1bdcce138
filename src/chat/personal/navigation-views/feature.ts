import { room } from "../../room.ts"
import { navigationViewKind, navigationViewSection } from "./navigation-view-event.ts"
import { navigationViewEndpoints } from "./navigation-views.ts"

export const navigationViewsRoom = room({
  wing: "personal",
  name: "navigation-views",
  about: "views that a user keeps in their navigation, or has pinned there",
  endpoints: navigationViewEndpoints,
  kinds: [navigationViewKind],
  sections: [navigationViewSection],
})
