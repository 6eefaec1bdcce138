import { defineFeature } from "../../feature.ts"
import { emojiPictures } from "./emoji-pictures-store.ts"
import { emojiEndpoints } from "./realm-emoji.ts"
import { emojiKind, emojiSection } from "./realm-emoji-event.ts"

export const realmEmojiFeature = defineFeature({
  area: "organization",
  name: "realm-emoji",
  about: "custom emoji with their images",
  chapter: "organization",
  endpoints: emojiEndpoints,
  kinds: [emojiKind],
  sections: [emojiSection],
  files: [emojiPictures],
})
