import { defineFeature } from "../../feature.ts"
import { profileFields } from "./profile-fields.ts"
import { profileValues } from "./profile-values.ts"

export const profilesFeature = defineFeature({
  area: "ground",
  name: "profiles",
  about: "the organization's own profile fields and what people have in them, as the projection holds both",
  projectionParts: [profileFields, profileValues],
})
