/**
 * Counts the pictures of an animation before the image library sees it, which keeps a record of each: a file of 25 MB
 * may have a million. Reads the lengths of blocks only, so it takes milliseconds.
 */

/** Animations with more are no pictures here. */
export const mostFrames = 5000
/** An ordinary file of 25 MB has 100,000 blocks (of 255 bytes, in a GIF). To pass over this many takes 3 ms. */
const mostBlocks = 400_000

const isFew = (frames: number, blocks: number): boolean => frames <= mostFrames && blocks <= mostBlocks

/** Behind the sub-blocks at `at`; each has its length before it, and the last one has none. */
const skipSubBlocks = (bytes: Uint8Array, from: number, blocks: { count: number }): number => {
  let at = from
  while (at < bytes.length && blocks.count <= mostBlocks) {
    const length = bytes[at] ?? 0
    at += 1 + length
    blocks.count++
    if (length === 0) break
  }
  return at
}

const colorTable = (packed: number): number => ((packed & 0x80) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1))

const gifFits = (bytes: Uint8Array): boolean => {
  const blocks = { count: 0 }
  let frames = 0
  let at = 13 + colorTable(bytes[10] ?? 0)
  while (at < bytes.length && isFew(frames, blocks.count)) {
    const kind = bytes[at]
    blocks.count++
    if (kind === 0x21) at = skipSubBlocks(bytes, at + 2, blocks)
    else if (kind === 0x2c) {
      frames++
      at = skipSubBlocks(bytes, at + 11 + colorTable(bytes[at + 9] ?? 0), blocks)
    } else break
  }
  return isFew(frames, blocks.count)
}

const webpFits = (bytes: Uint8Array): boolean => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let frames = 0
  let blocks = 0
  for (let at = 12; at + 8 <= bytes.length && isFew(frames, blocks); blocks++) {
    if (view.getUint32(at) === 0x414e4d46) frames++
    const size = view.getUint32(at + 4, true)
    at += 8 + size + (size % 2)
  }
  return isFew(frames, blocks)
}

/** Whether a file of this type has few enough pictures and parts to be read. */
export const hasFewFrames = (bytes: Uint8Array, contentType: string): boolean =>
  contentType === "image/gif" ? gifFits(bytes) : contentType === "image/webp" ? webpFits(bytes) : true
