import { defineFeature } from "../../feature.ts"
import { Outbound } from "../../ground/outbound/outbound.ts"
import { realmBotKind } from "./bot-event.ts"
import { botSection } from "./bot-section.ts"
import { deleteBot, getBotKey, getBots, regenerateBotKey } from "./bots.ts"
import { postBots } from "./new-bot.ts"
import { patchBot } from "./patch-bot.ts"

export const botsFeature = defineFeature({
  area: "people",
  name: "bots",
  about: "bots: making and changing them, their owners, keys and pictures, and who is told of them",
  chapter: "bots",
  endpoints: [getBots, postBots, patchBot, deleteBot, getBotKey, regenerateBotKey],
  kinds: [realmBotKind],
  sections: [botSection],
  layer: Outbound.layer,
})
