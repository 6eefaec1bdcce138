/**
 * Which bytes are a picture that browsers show and run nothing in, by how they begin; what another server calls them is
 * not believed. SVG is not among them: it may hold scripts.
 */
const beginnings: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\x89PNG\r\n/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^GIF8[79]a/, "image/gif"],
  [/^RIFF.{4}WEBPVP8/s, "image/webp"],
  [/^.{4}ftypavi[fs]/s, "image/avif"],
]

/** The type of a picture; undefined for everything else. */
export const pictureType = (bytes: Uint8Array): string | undefined => {
  const begin = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 16)).toString("latin1")
  return beginnings.find(([pattern]) => pattern.test(begin))?.[1]
}
