import { defineFeature } from "../../feature.ts"

export const setupFeature = defineFeature({
  area: "server",
  name: "setup",
  about: "commands of the server itself: making organizations, the demo",
})
