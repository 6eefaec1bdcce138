/**
 * Makes custom emoji of the images that people upload: decoded and encoded anew by sharp, so that nothing of the upload is
 * served but its pixels; at most 64 by 64; animations stay animated, and have a still picture beside. One image at a time,
 * in turns by user, in a thread of the runtime's pool; others wait a while. What is too large to decode quickly is
 * refused by its header.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Sharp, SharpOptions } from "sharp"
import { Clock } from "../../clock.ts"
import { type ApiError, badRequest } from "../../errors.ts"
import { makeInTurns } from "../../fair-turns.ts"
import { Refusals } from "../../refusals.ts"
import { type Decoder, loadSharp } from "../images/decoder.ts"

export interface EmojiImage {
  /** Its ending tells the format. */
  readonly ending: "png" | "webp"
  readonly bytes: Uint8Array
  /** The first picture of an animation, as PNG; null for an image that is none. */
  readonly still: Uint8Array | null
}

const side = 64
/** Pixels that are decoded at most: a photo, and all pictures of an animation together. A megapixel takes 10 ms. */
const mostPixels = 50_000_000
const mostAnimatedPixels = 20_000_000
const mostPictures = 200
/** Of libvips for one image, in seconds; its header says little about how long it takes. */
const longestSeconds = 10
const longestWaitMilliseconds = 15_000

/** What browsers show, by how it begins. Nothing else reaches the decoders. */
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

const options: SharpOptions = { failOn: "error", limitInputPixels: mostPixels, sequentialRead: true }

const small = (image: Sharp): Sharp =>
  image.resize(side, side, { fit: "inside", withoutEnlargement: true }).timeout({ seconds: longestSeconds })

const encode = async (sharp: Decoder, upload: Uint8Array): Promise<EmojiImage | ApiError> => {
  // Nothing is decoded for this.
  const header = await sharp(upload, { ...options, limitInputPixels: false, animated: true }).metadata()
  const { width, height, pageHeight = height, pages = 1 } = header
  const pixels = width * pageHeight * pages
  if (pixels > (pages > 1 ? mostAnimatedPixels : mostPixels) || pages > mostPictures) return tooLarge
  // A photo says how it is to be turned; an animation cannot be turned.
  const still = await small(sharp(upload, options).autoOrient()).png().toBuffer()
  if (pages < 2) return { ending: "png", bytes: still, still: null }
  const bytes = await small(sharp(upload, { ...options, animated: true }))
    .webp()
    .toBuffer()
  return { ending: "webp", bytes, still }
}

interface EmojiImagesShape {
  /** `owner`: who uploads it, as turns are counted. */
  readonly make: (owner: string, upload: Uint8Array) => Effect.Effect<EmojiImage, ApiError>
}

/** Uploads that wait are in memory, each as large as an image may be. */
const turnLimits = { capacity: 1, perOwner: 1, ownerWaiting: 2, allWaiting: 16 }

export class EmojiImages extends Context.Service<EmojiImages, EmojiImagesShape>()("parley/chat/EmojiImages") {
  static readonly layer = Layer.effect(
    EmojiImages,
    Effect.gen(function* () {
      const inTurns = makeInTurns(
        { clock: yield* Clock, refusals: yield* Refusals },
        { ...turnLimits, limit: "images at once", waitMs: longestWaitMilliseconds },
      )
      const make = Effect.fnUntraced(function* (owner: string, upload: Uint8Array) {
        if (!isImage(upload)) return yield* noImage
        const sharp = yield* Effect.promise(loadSharp)
        const made = yield* inTurns(
          owner,
          Effect.promise(() => encode(sharp, upload).catch(() => noImage)),
        )
        return "code" in made ? yield* made : made
      })
      return { make }
    }),
  )
}
