/** Pictures that this server draws: whole PNG files, the same each time, others for others, and quick to make. */
import { crc32, inflateSync } from "node:zlib"
import sharp from "sharp"
import t from "tap"
import { drawIcon, drawPattern } from "../../../../src/chat/ground/faces/drawn-pattern.ts"
import { writePng } from "../../../../src/chat/ground/faces/palette-png.ts"

/** The chunks of a PNG, each of which has the sum that it says. */
const chunksOf = (png: Buffer): ReadonlyMap<string, Buffer> => {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const body = png.subarray(at + 4, at + 8 + length)
    if (crc32(body) !== png.readUInt32BE(at + 8 + length)) throw new Error(`a wrong sum at ${at}`)
    chunks.set(body.toString("latin1", 0, 4), body.subarray(4))
    at += 12 + length
  }
  return chunks
}

t.test("a pattern is a whole PNG of the size, mirrored, in two colours", async (t) => {
  for (const [isMedium, side] of [
    [false, 100],
    [true, 500],
  ] as const) {
    const png = drawPattern(1, 7, isMedium)
    t.same([...png.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
    const chunks = chunksOf(png)
    t.same([...chunks.keys()], ["IHDR", "PLTE", "IDAT", "IEND"])
    t.equal(inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0)).length, side * (1 + side / 4))
    t.ok(png.length < 2000, `${png.length} bytes`)
    const { data, info } = await sharp(png).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    t.match(info, { width: side, height: side, channels: 3 })
    const pixel = (x: number, y: number) => data.subarray((y * side + x) * 3, (y * side + x) * 3 + 3).toString("hex")
    const all = Array.from({ length: side * side }, (_, n) => [n % side, Math.floor(n / side)] as const)
    t.ok(all.every(([x, y]) => pixel(x, y) === pixel(side - 1 - x, y)))
    t.equal(new Set(all.map(([x, y]) => pixel(x, y))).size, 2)
  }
})

t.test("everybody has another one, and the same each time; large and small ones are alike", async (t) => {
  const ids = Array.from({ length: 1000 }, (_, id) => id)
  const pictures = ids.map((id) => drawPattern(1, id, false).toString("base64"))
  t.ok(new Set(pictures).size > 990, "of a thousand people hardly any two look the same")
  t.same(
    ids.slice(0, 20).map((id) => drawPattern(1, id, false).toString("base64")),
    pictures.slice(0, 20),
  )
  t.notSame(drawPattern(2, 7, false), drawPattern(1, 7, false), "nor those of two organizations")
  t.notSame(drawIcon(1), drawIcon(2))
  const shrunk = await sharp(drawPattern(1, 7, true))
    .resize(5, 5, { kernel: "nearest" })
    .raw()
    .toBuffer()
  const small = await sharp(drawPattern(1, 7, false))
    .resize(5, 5, { kernel: "nearest" })
    .raw()
    .toBuffer()
  t.same(shrunk, small)
})

t.test("rows of any width are written, with up to four colours", async (t) => {
  const palette = [
    [0, 0, 0],
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ] as const
  for (const width of [1, 3, 4, 5, 9]) {
    const row = Uint8Array.from({ length: width }, (_, x) => x % 4)
    const { data, info } = await sharp(writePng({ width, height: 2, palette, row: () => row }))
      .removeAlpha()
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true })
    t.match(info, { width, height: 2 })
    const wanted = [...row, ...row].flatMap((number) => palette[number] ?? [])
    t.same([...data], wanted, `${width} pixels`)
  }
})
