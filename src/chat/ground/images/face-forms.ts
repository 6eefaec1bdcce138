/**
 * Makes the pictures of people and organizations of uploaded images: decoded and encoded anew, so that nothing of an upload
 * is served but its pixels; of an animation its first picture. They are PNG files, because clients make the address of the
 * larger one from that of the smaller one, by this ending.
 */
import type { Sharp, SharpOptions } from "sharp"
import { hasFewFrames } from "./animation-frames.ts"
import { faceSide, mediumSide } from "./face-sizes.ts"
import type { ImageLibrary } from "./image-library.ts"
import { pictureType } from "./picture-type.ts"
import { describePicture } from "./shrink-picture.ts"

/** Pixels that a logo may have at most. */
const logoWidth = 800
const logoHeight = 100

/** describePicture has looked at the size. */
const options: SharpOptions = { failOn: "error", limitInputPixels: false, sequentialRead: true }

const png = (image: Sharp): Promise<Uint8Array> => image.png({ compressionLevel: 9 }).toBuffer()

/** The middle of the picture, as it is shown: a photo says how it is to be turned. */
const square = (sharp: ImageLibrary, bytes: Uint8Array, side: number): Sharp =>
  sharp(bytes, options).autoOrient().resize(side, side, { fit: "cover" })

type MakeFace = (sharp: ImageLibrary, bytes: Uint8Array) => Promise<ReadonlyArray<Uint8Array>>

const makers = {
  face: async (sharp, bytes) => {
    const medium = await png(square(sharp, bytes, mediumSide))
    return [await png(square(sharp, medium, faceSide)), medium]
  },
  icon: async (sharp, bytes) => [await png(square(sharp, bytes, faceSide))],
  logo: async (sharp, bytes) => {
    const turned = sharp(bytes, options).autoOrient()
    return [await png(turned.resize(logoWidth, logoHeight, { fit: "inside", withoutEnlargement: true }))]
  },
} satisfies Readonly<Record<string, MakeFace>>

export type FaceForm = keyof typeof makers

/** Whether its header is that of an image, which then is none here because of its size. */
const isImage = async (sharp: ImageLibrary, bytes: Uint8Array): Promise<boolean> => {
  const { width, height } = await sharp(bytes, options).metadata()
  return width > 0 && height > 0
}

/** A face: the small picture, then the medium one; else one picture. Fails where the image cannot be decoded. */
export const makeFaces = async (
  sharp: ImageLibrary,
  form: FaceForm,
  bytes: Uint8Array,
): Promise<ReadonlyArray<Uint8Array> | "too large" | null> => {
  if (!hasFewFrames(bytes, pictureType(bytes) ?? "")) return "too large"
  if ((await describePicture(sharp, bytes)) === null) return (await isImage(sharp, bytes)) ? "too large" : null
  return makers[form](sharp, bytes)
}
