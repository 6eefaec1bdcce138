import { room } from "../../room.ts"
import { userStatusEndpoints } from "./user-status.ts"
import { userStatusKind, userStatusSection } from "./user-status-event.ts"

export const userStatusRoom = room({
  wing: "people",
  name: "user-status",
  about: "what people say of themselves: a text and an emoji, and that they are away, which is one of their settings",
  endpoints: userStatusEndpoints,
  kinds: [userStatusKind],
  sections: [userStatusSection],
})
