/**
 * Makes custom emoji of the images that people upload (images/emoji-forms.ts), one at a time, in turns by user; others
 * wait a while. What is too large to decode quickly is refused.
 */
import { Readable } from "node:stream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type ApiError, badRequest, type Unavailable } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { makeInTurns } from "../../../fairness/fair-turns.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import type { EmojiImage } from "../../ground/images/emoji-forms.ts"
import { Decoders } from "../../ground/images/process/decoders.ts"
import type { Frame } from "../../ground/images/process/frames.ts"

const longestWaitMilliseconds = 15_000

/** Whether browsers show it, by how it begins. Nothing else reaches the decoders. */
const isImage = (bytes: Uint8Array): boolean => {
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString("latin1")
  return (
    begin.startsWith("\x89PNG\r\n") ||
    begin.startsWith("\xff\xd8\xff") ||
    /^GIF8[79]a/.test(begin) ||
    (begin.startsWith("RIFF") && begin.endsWith("WEBP"))
  )
}

const noImage = badRequest("The uploaded file is not an image that can be read: use PNG, JPEG, GIF or WebP.")
const tooLarge = badRequest("The image has too many pixels or too many pictures.")

const readAnswer = Schema.decodeUnknownSync(Schema.NullOr(Schema.Literals(["png", "webp", "too large"])))

const imageOf = ({ value, files: [bytes, still] }: Frame): EmojiImage | ApiError => {
  const ending = readAnswer(value)
  if (ending === "too large") return tooLarge
  return ending === null || bytes === undefined ? noImage : { ending, bytes, still: still ?? null }
}

interface EmojiImagesShape {
  /** `owner`: who uploads it, as turns are counted. */
  readonly make: (owner: string, upload: Uint8Array) => Effect.Effect<EmojiImage, ApiError | Unavailable>
}

/** Uploads that wait are in memory, each as large as an image may be. */
const turnLimits = { capacity: 1, perOwner: 1, ownerWaiting: 2, allWaiting: 16 }

export class EmojiImages extends Context.Service<EmojiImages, EmojiImagesShape>()("parley/chat/EmojiImages") {
  static readonly layer = Layer.effect(
    EmojiImages,
    Effect.gen(function* () {
      const { waitedFor } = yield* Decoders
      const inTurns = makeInTurns(
        { clock: yield* Clock, refusals: yield* Refusals },
        { ...turnLimits, limit: "images at once", waitMs: longestWaitMilliseconds },
      )
      const make = Effect.fnUntraced(function* (owner: string, upload: Uint8Array) {
        if (!isImage(upload)) return yield* noImage
        const file = { size: upload.byteLength, read: () => Readable.from([upload]) }
        const answer = yield* inTurns(owner, waitedFor("emoji", file))
        const made = answer === null ? noImage : imageOf(answer)
        return "code" in made ? yield* made : made
      })
      return { make }
    }),
  )
}
