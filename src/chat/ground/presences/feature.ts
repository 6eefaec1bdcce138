import { defineFeature } from "../../feature.ts"
import { presences } from "./presences.ts"

export const presencesFeature = defineFeature({
  area: "ground",
  name: "presences",
  about:
    "when people were last active and connected, in the order in which that changed, and lists of it that answers share",
  projectionParts: [presences],
})
