/**
 * Reads what a picture is from its header, and makes its smaller forms: decoded and encoded anew by sharp, so that nothing
 * is in them but pixels, neither where a photo was taken nor what a browser could run. What would take much memory or time
 * is no picture here, by its header; what takes it nevertheless ends the process in which this is done.
 */
import type { Sharp, SharpOptions } from "sharp"
import { hasFewFrames } from "./animation-frames.ts"
import type { ImageLibrary } from "./image-library.ts"
import { decodableType } from "./picture-type.ts"
import {
  formatsOf,
  movingFormat,
  type PictureFacts,
  stillFormat,
  thumbnailHeight,
  thumbnailWidth,
} from "./thumbnail-formats.ts"

/** A file that is larger is no picture here: while one is decoded, it is in memory. */
export const mostImageBytes = 25 * 2 ** 20
/** Most pixels of a picture that is decoded row by row: a second of a processor. */
const mostPixels = 100_000_000
/** Most pixels of a picture that must be in memory whole, at up to eight bytes for each. */
const mostWholePixels = 20_000_000
/** Most pixels of an AVIF picture, which takes 20 bytes for each. */
const mostAvifPixels = 8_000_000
/** Most pixels of an animation's pictures together, decoded and encoded: those beyond are left out. */
const mostMovingPixels = 20_000_000
/** Pixels of the longest side that WebP has. */
const longestSide = 16_383

const options: SharpOptions = { failOn: "error", limitInputPixels: mostPixels, sequentialRead: true }

const typeOf: Readonly<Record<string, string>> = {
  png: "image/png",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  heif: "image/avif",
  tiff: "image/tiff",
}

interface MeasuredPicture extends PictureFacts {
  /** Pictures of an animation that are shown; 1 for a still one. */
  readonly frames: number
}

const measure = async (sharp: ImageLibrary, bytes: Uint8Array): Promise<MeasuredPicture | null> => {
  const contentType = decodableType(bytes)
  if (contentType === undefined || bytes.byteLength > mostImageBytes || !hasFewFrames(bytes, contentType)) return null
  const mayMove = contentType === "image/gif" || contentType === "image/webp"
  // Nothing is decoded for this.
  const header = await sharp(bytes, { ...options, limitInputPixels: false, animated: mayMove }).metadata()
  if (typeOf[header.format] !== contentType) return null
  const pages = mayMove ? (header.pages ?? 1) : 1
  const [across, down] = [header.width, pages > 1 ? (header.pageHeight ?? header.height) : header.height]
  const pixels = across * down
  const turn = header.orientation ?? 1
  const isByRow = !header.isProgressive && (contentType === "image/jpeg" || (contentType === "image/png" && turn === 1))
  const most = isByRow ? mostPixels : contentType === "image/avif" ? mostAvifPixels : mostWholePixels
  if (pixels < 1 || pixels > most) return null
  if (pages > 1 && pixels > mostMovingPixels) return null
  const isTurned = turn >= 5 && pages === 1
  const [width, height] = isTurned ? [down, across] : [across, down]
  const picture = { contentType, width, height, isAnimated: pages > 1 }
  if (contentType === "image/tiff" && Math.max(width, height) > longestSide) return null
  return { ...picture, frames: Math.max(1, Math.min(pages, Math.floor(mostMovingPixels / pixels))) }
}

/** null for what is no picture here. */
export const describePicture = async (sharp: ImageLibrary, bytes: Uint8Array): Promise<PictureFacts | null> => {
  const measured = await measure(sharp, bytes)
  if (measured === null) return null
  const { frames, ...picture } = measured
  return picture
}

export interface Thumbnail {
  /** As thumbnail-formats.ts names it. */
  readonly format: string
  readonly bytes: Uint8Array
}

const small = (image: Sharp): Sharp =>
  image.resize(thumbnailWidth, thumbnailHeight, { fit: "inside", withoutEnlargement: true })

const written = (image: Sharp, effort: number): Promise<Uint8Array> => image.webp({ effort }).toBuffer()

/** One of the formats of a picture. */
const make = (sharp: ImageLibrary, bytes: Uint8Array, format: string, frames: number): Promise<Uint8Array> => {
  if (format === movingFormat) return written(small(sharp(bytes, { ...options, pages: frames })), 0)
  const turned = sharp(bytes, options).autoOrient()
  return format === stillFormat ? written(small(turned), 4) : written(turned, 0)
}

/** All forms of a picture. null: it is none. Fails where it cannot be decoded. */
export const shrinkPicture = async (
  sharp: ImageLibrary,
  bytes: Uint8Array,
): Promise<ReadonlyArray<Thumbnail> | null> => {
  const measured = await measure(sharp, bytes)
  if (measured === null) return null
  const made: Array<Thumbnail> = []
  for (const format of formatsOf(measured))
    made.push({ format, bytes: await make(sharp, bytes, format, measured.frames) })
  return made
}
