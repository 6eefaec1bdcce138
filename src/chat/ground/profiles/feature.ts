import { room } from "../../room.ts"
import { profileFields } from "./profile-fields.ts"
import { profileValues } from "./profile-values.ts"

export const profilesRoom = room({
  wing: "ground",
  name: "profiles",
  about: "the organization's own profile fields and what people have in them, as the projection holds both",
  parts: [profileFields, profileValues],
})
