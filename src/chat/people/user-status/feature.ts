import { defineFeature } from "../../feature.ts"
import { userStatusEndpoints } from "./user-status.ts"
import { userStatusKind, userStatusSection } from "./user-status-event.ts"

export const userStatusFeature = defineFeature({
  area: "people",
  name: "user-status",
  about: "what people say of themselves: a text and an emoji, and that they are away, which is one of their settings",
  chapter: "users",
  endpoints: userStatusEndpoints,
  kinds: [userStatusKind],
  sections: [userStatusSection],
})
