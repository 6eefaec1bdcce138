/**
 * Makes a custom emoji of an image: decoded and encoded anew, so that nothing of the upload is served but its pixels; at
 * most 64 by 64; an animation stays one, and has a still picture beside.
 */
import type { Sharp, SharpOptions } from "sharp"
import type { ImageLibrary } from "./image-library.ts"

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

const options: SharpOptions = { failOn: "error", limitInputPixels: mostPixels, sequentialRead: true }

const small = (image: Sharp): Sharp => image.resize(side, side, { fit: "inside", withoutEnlargement: true })

/** Fails where it cannot be decoded. */
export const makeEmoji = async (sharp: ImageLibrary, upload: Uint8Array): Promise<EmojiImage | "too large"> => {
  // Nothing is decoded for this.
  const header = await sharp(upload, { ...options, limitInputPixels: false, animated: true }).metadata()
  const { width, height, pageHeight = height, pages = 1 } = header
  const pixels = width * pageHeight * pages
  if (pixels > (pages > 1 ? mostAnimatedPixels : mostPixels) || pages > mostPictures) return "too large"
  // A photo says how it is to be turned; an animation cannot be turned.
  const still = await small(sharp(upload, options).autoOrient()).png().toBuffer()
  if (pages < 2) return { ending: "png", bytes: still, still: null }
  const bytes = await small(sharp(upload, { ...options, animated: true }))
    .webp()
    .toBuffer()
  return { ending: "webp", bytes, still }
}
