import { room } from "../../room.ts"
import { profileFieldKind, profileFieldSection } from "./profile-field-event.ts"
import { profileFieldEndpoints } from "./profile-fields.ts"

export const profileFieldsRoom = room({
  wing: "organization",
  name: "profile-fields",
  about: "the organization's own profile fields: eight types, what their data may be, their order",
  endpoints: profileFieldEndpoints,
  kinds: [profileFieldKind],
  sections: [profileFieldSection],
})
