import { defineFeature } from "../../feature.ts"
import { navigationViewKind, navigationViewSection } from "./navigation-view-event.ts"
import { navigationViewEndpoints } from "./navigation-views.ts"

export const navigationViewsFeature = defineFeature({
  area: "personal",
  name: "navigation-views",
  about: "views that a user keeps in their navigation, or has pinned there",
  chapter: "personal",
  endpoints: navigationViewEndpoints,
  kinds: [navigationViewKind],
  sections: [navigationViewSection],
})
