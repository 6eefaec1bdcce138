import { defineFeature } from "../../feature.ts"
import { profileFieldKind, profileFieldSection } from "./profile-field-event.ts"
import { profileFieldEndpoints } from "./profile-fields.ts"

export const profileFieldsFeature = defineFeature({
  area: "organization",
  name: "profile-fields",
  about: "the organization's own profile fields: eight types, what their data may be, their order",
  chapter: "organization",
  endpoints: profileFieldEndpoints,
  kinds: [profileFieldKind],
  sections: [profileFieldSection],
})
