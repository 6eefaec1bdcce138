/** Writes pictures of a few colours as PNG files (RFC 2083, with a palette): small, in well under a millisecond. */
import { crc32, deflateSync } from "node:zlib"

/** Red, green and blue, each up to 255. */
export type RgbColour = readonly [red: number, green: number, blue: number]

export interface PalettePicture {
  readonly width: number
  readonly height: number
  /** Four at most. */
  readonly palette: ReadonlyArray<RgbColour>
  /** The number of the colour of each pixel of a row. Asked for once where a row is the same object as the one above. */
  readonly row: (y: number) => Uint8Array
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Bits of a pixel. */
const depth = 2
const pixelsInByte = 8 / depth
/** The colour type with a palette. */
const withPalette = 3

const chunk = (type: string, data: Uint8Array): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A row as it is stored: the number of its filter, none, then four pixels in a byte. */
const pack = (row: Uint8Array): Buffer => {
  const packed = Buffer.alloc(1 + Math.ceil(row.length / pixelsInByte))
  for (let x = 0; x < row.length; x++) {
    const at = 1 + Math.floor(x / pixelsInByte)
    const shift = 8 - depth * (1 + (x % pixelsInByte))
    packed[at] = (packed[at] ?? 0) | ((row[x] ?? 0) << shift)
  }
  return packed
}

export const writePng = ({ width, height, palette, row }: PalettePicture): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, withPalette, 0, 0, 0], 8)
  const rows: Array<Buffer> = []
  let [last, packed]: [Uint8Array | undefined, Buffer] = [undefined, Buffer.alloc(0)]
  for (let y = 0; y < height; y++) {
    const next = row(y)
    if (next !== last) packed = pack(next)
    last = next
    rows.push(packed)
  }
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(palette.flat())),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ])
}
