import { room } from "../../room.ts"
import { botSettings } from "./bot-settings.ts"

export const botSettingsRoom = room({
  wing: "ground",
  name: "bot-settings",
  about: "what bots have beyond their account: defaults, the address that an outgoing webhook calls; the rows about it",
  parts: [botSettings],
})
