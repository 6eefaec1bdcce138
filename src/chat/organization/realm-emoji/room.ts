import * as Layer from "effect/Layer"
import { Decoders } from "../../ground/images/process/decoders.ts"
import { room } from "../../room.ts"
import { EmojiImages } from "./emoji-image.ts"
import { emojiPrefix, findEmojiPicture } from "./emoji-pictures.ts"
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
  layer: Layer.provide(EmojiImages.layer, Decoders.layer),
  pictures: [{ prefix: emojiPrefix, find: findEmojiPicture, keptSeconds: null }],
})
