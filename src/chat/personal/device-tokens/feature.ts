import { defineFeature } from "../../feature.ts"
import { deviceTokenEndpoints } from "./device-tokens.ts"

export const deviceTokensFeature = defineFeature({
  area: "personal",
  name: "device-tokens",
  about: "where a user's phones want their pushes, which nothing sends yet: the example of state without events",
  chapter: "personal",
  endpoints: deviceTokenEndpoints,
})
