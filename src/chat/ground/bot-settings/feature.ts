import { defineFeature } from "../../feature.ts"
import { botSettings } from "./bot-settings.ts"

export const botSettingsFeature = defineFeature({
  area: "ground",
  name: "bot-settings",
  about: "what bots have beyond their account: defaults, the address that an outgoing webhook calls; the rows about it",
  projectionParts: [botSettings],
})
