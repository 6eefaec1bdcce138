/** Pictures for tests: real ones, and such whose header says much more than there is. */
import { crc32 } from "node:zlib"
import sharp, { type Sharp } from "sharp"

export const plainPicture = (width: number, height: number, shade = 200): Sharp =>
  sharp({ create: { width, height, channels: 3, background: { r: shade, g: 10, b: 10 } } })

/** An animation of these many pictures, each of one colour. */
export const animation = (width: number, height: number, count: number): Sharp => {
  const raw = Buffer.concat(
    Array.from({ length: count }, (_, n) => Buffer.alloc(width * height * 3, Math.floor((250 * n) / count))),
  )
  return sharp(raw, { raw: { width, height: height * count, channels: 3, pageHeight: height } })
}

export const pngChunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** The beginning of a PNG of this size, without pixels. `interlace`: 1 where it is interlaced. */
export const pngHeader = (width: number, height: number, interlace = 0): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, interlace], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])
  return Buffer.concat([
    signature,
    pngChunk("IHDR", header),
    pngChunk("IDAT", Buffer.alloc(20)),
    pngChunk("IEND", Buffer.alloc(0)),
  ])
}

/** A GIF of so many pictures, each of this size by its header, with one pixel in it. */
export const gifOf = (width: number, height: number, count: number): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  const screen = Buffer.concat([Buffer.from("GIF89a"), size, Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255])])
  const control = Buffer.from([0x21, 0xf9, 4, 0, 5, 0, 0, 0, 0x2c, 0, 0, 0, 0])
  const picture = Buffer.concat([control, size, Buffer.from([0, 2, 2, 0x44, 1, 0])])
  return Buffer.concat([screen, Buffer.alloc(picture.length * count, picture), Buffer.from([0x3b])])
}

/** A WebP that says that it has so many pictures, without any in it. */
export const webpOf = (count: number): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32LE(data.length)
    return Buffer.concat([Buffer.from(type), length, data])
  }
  const frame = chunk("ANMF", Buffer.alloc(16))
  const body = Buffer.concat([
    Buffer.from("WEBP"),
    chunk("VP8X", Buffer.from([2, 0, 0, 0, 9, 0, 0, 9, 0, 0])),
    chunk("ANIM", Buffer.alloc(6)),
    Buffer.alloc(frame.length * count, frame),
  ])
  return chunk("RIFF", body)
}
