import { room } from "../../room.ts"
import { customEmoji } from "./custom-emoji.ts"
import { emojiPages } from "./emoji-pages.ts"

export const emojiRoom = room({
  wing: "text",
  name: "emoji",
  about:
    "emoji by name, code and character: a data set (gemoji), and before its names those that clients send; custom emoji in memory",
  parts: [customEmoji],
  pages: emojiPages,
})
