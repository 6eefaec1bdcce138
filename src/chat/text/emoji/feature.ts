import { defineFeature } from "../../feature.ts"
import { customEmojiPart } from "./custom-emoji.ts"
import { emojiPages } from "./emoji-pages.ts"

export const emojiFeature = defineFeature({
  area: "text",
  name: "emoji",
  about:
    "emoji by name, code and character: a data set (gemoji), and before its names those that clients send; custom emoji in memory",
  projectionParts: [customEmojiPart],
  pages: emojiPages,
})
