import { room } from "../../room.ts"
import { deleteBotStorage, getBotStorage, putBotStorage } from "./bot-storage.ts"

export const botStorageRoom = room({
  wing: "people",
  name: "bot-storage",
  about: "texts that bots keep under keys for themselves",
  endpoints: [getBotStorage, putBotStorage, deleteBotStorage],
})
