import { room } from "../../room.ts"
import { profileDataEndpoints } from "./profile-data.ts"

export const profileDataRoom = room({
  wing: "people",
  name: "profile-data",
  about: "the names of people, and what they have in the organization's own profile fields",
  endpoints: profileDataEndpoints,
})
