import { defineFeature } from "../../feature.ts"
import { profileDataEndpoints } from "./profile-data.ts"

export const profileDataFeature = defineFeature({
  area: "people",
  name: "profile-data",
  about: "the names of people, and what they have in the organization's own profile fields",
  chapter: "users",
  endpoints: profileDataEndpoints,
})
