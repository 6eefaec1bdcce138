/**
 * Which bytes are a picture, by how they begin: what others call them is not believed. SVG is not among them: it may hold
 * scripts.
 */
type Beginning = readonly [pattern: RegExp, contentType: string]

/** Types that browsers show, and run nothing in. */
const shown: ReadonlyArray<Beginning> = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBPVP8/s, "image/webp"],
  [/^.{4}ftypavi[fs]/s, "image/avif"],
]

const tiff: Beginning = [/^(?:II\*\0|MM\0\*)/, "image/tiff"]

/** Bytes at the beginning of a file that tell its type. */
export const beginningBytes = 16

const find = (bytes: Uint8Array, known: ReadonlyArray<Beginning>): string | undefined => {
  const length = Math.min(bytes.byteLength, beginningBytes)
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1")
  return known.find(([pattern]) => pattern.test(begin))?.[1]
}

/** The type of a picture that browsers show; undefined for everything else. */
export const pictureType = (bytes: Uint8Array): string | undefined => find(bytes, shown)

/** The type of a picture that can be decoded; undefined for everything else. */
export const decodableType = (bytes: Uint8Array): string | undefined => find(bytes, [...shown, tiff])
