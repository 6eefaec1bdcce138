/**
 * Makes what is served of the images that people upload: custom emoji, faces, icons and logos. One at a time in the
 * decoder's process, in turns by user; others wait a while. What is too large to decode quickly is refused.
 */
import { Readable } from "node:stream"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { type ApiError, badRequest, type Unavailable } from "../../../../api/errors.ts"
import { Clock } from "../../../../clock.ts"
import { Config, type ConfigShape } from "../../../../config/config.ts"
import { makeInTurns } from "../../../../fairness/fair-turns.ts"
import { Refusals } from "../../../../fairness/refusals.ts"
import { isInstalled } from "../image-library.ts"
import { pictureType } from "../picture-type.ts"
import type { DecoderTaskName } from "./decoder-tasks.ts"
import { Decoders } from "./decoders.ts"
import type { ProcessFrame } from "./process-frames.ts"

const longestWaitMilliseconds = 15_000

/** Nothing else reaches the decoders. AVIF takes too much memory for what is so small. */
const taken: ReadonlySet<string | undefined> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const noImage = badRequest("The uploaded file is not an image that can be read: use PNG, JPEG, GIF or WebP.")
const tooLarge = badRequest("The image has too many pixels or too many pictures.")
const noLibrary = badRequest("This server takes no images: its image library (sharp) is not installed.")

/** Looked for once. */
const installed = isInstalled()

/** Whether this server can make anything of an image. */
export const takesImages = ({ imageLibrary = installed }: Pick<ConfigShape, "imageLibrary">): boolean => imageLibrary

/** What each work on an uploaded image answers, beside its files. */
const readWord = Schema.decodeUnknownSync(Schema.NullOr(Schema.String))

export interface MadeImages {
  /** The ending of the first file. */
  readonly ending: string
  readonly files: ProcessFrame["files"]
}

interface UploadedImagesShape {
  /** `owner`: who uploads it, as turns are counted. */
  readonly make: (
    owner: string,
    work: Exclude<DecoderTaskName, "describe" | "shrink">,
    upload: Uint8Array,
  ) => Effect.Effect<MadeImages, ApiError | Unavailable>
}

/** Uploads that wait are in memory, each as large as an image may be. */
const turnLimits = { capacity: 1, perOwner: 1, ownerWaiting: 2, allWaiting: 16 }

export class UploadedImages extends Context.Service<UploadedImages, UploadedImagesShape>()(
  "parley/chat/UploadedImages",
) {
  static readonly layer = Layer.effect(
    UploadedImages,
    Effect.gen(function* () {
      const config = yield* Config
      const { waitedFor } = yield* Decoders
      const inTurns = makeInTurns(
        { clock: yield* Clock, refusals: yield* Refusals },
        { ...turnLimits, limit: "images at once", waitMs: longestWaitMilliseconds },
      )
      const make: UploadedImagesShape["make"] = Effect.fnUntraced(function* (owner, work, upload) {
        if (!takesImages(config)) return yield* noLibrary
        if (!taken.has(pictureType(upload))) return yield* noImage
        const file = { size: upload.byteLength, read: () => Readable.from([upload]) }
        const answer = yield* inTurns(owner, waitedFor(work, file))
        const word = answer === null ? null : readWord(answer.value)
        if (word === "too large") return yield* tooLarge
        return answer === null || word === null ? yield* noImage : { ending: word, files: answer.files }
      })
      return { make }
    }),
  )
}
