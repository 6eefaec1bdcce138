import { defineFeature } from "../../feature.ts"
import { deleteBotStorage, getBotStorage, putBotStorage } from "./bot-storage.ts"

export const botStorageFeature = defineFeature({
  area: "people",
  name: "bot-storage",
  about: "texts that bots keep under keys for themselves",
  chapter: "bots",
  endpoints: [getBotStorage, putBotStorage, deleteBotStorage],
})
