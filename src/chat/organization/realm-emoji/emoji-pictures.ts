/**
 * The pictures of custom emoji, which anybody may fetch who knows their address: it holds 128 random bits, and clients
 * show pictures without signing the request. Served by http/downloads/pictures.ts.
 */
import * as Effect from "effect/Effect"
import { type FileName, Files, fileName, findFileName, readWhole } from "../../ground/files/files.ts"

export const emojiPrefix = "/user_avatars/"
const ofEmoji = /^\d{1,10}\/emoji\/images\/[0-9a-z-]{1,60}\.(png|webp)$/

export interface Picture {
  readonly contentType: "image/png" | "image/webp"
  readonly bytes: Uint8Array
}

/** Their folder within that of an organization. */
export const emojiFolder = ["emoji", "images"] as const

export const emojiFile = (realm: number, file: string): FileName => fileName(String(realm), ...emojiFolder, file)

/** The picture at a path of this server; null where there is none. */
export const findEmojiPicture = Effect.fnUntraced(function* (path: string) {
  const rest = path.startsWith(emojiPrefix) ? path.slice(emojiPrefix.length) : ""
  const name = findFileName(rest)
  const [, ending] = ofEmoji.exec(rest) ?? []
  if (name === undefined || ending === undefined) return null
  const found = yield* (yield* Files).find(name)
  if (found === null) return null
  const bytes = yield* Effect.promise(() => readWhole(found))
  return { contentType: ending === "png" ? "image/png" : "image/webp", bytes } satisfies Picture
})
