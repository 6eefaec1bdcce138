import { room } from "../../room.ts"
import { emojiPictures } from "./emoji-pictures-store.ts"
import { emojiEndpoints } from "./realm-emoji.ts"
import { emojiKind, emojiSection } from "./realm-emoji-event.ts"

export const realmEmojiRoom = room({
  wing: "organization",
  name: "realm-emoji",
  about: "custom emoji with their images",
  endpoints: emojiEndpoints,
  kinds: [emojiKind],
  sections: [emojiSection],
  files: [emojiPictures],
})
