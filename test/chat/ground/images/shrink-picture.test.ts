/** Uploaded bytes as pictures, their thumbnails, and images that are made to harm. */
import sharp from "sharp"
import t from "tap"
import { mostFrames } from "../../../../src/chat/ground/images/animation-frames.ts"
import { decodableType, pictureType } from "../../../../src/chat/ground/images/picture-type.ts"
import { describePicture, mostImageBytes, shrinkPicture } from "../../../../src/chat/ground/images/shrink-picture.ts"
import { inTurn } from "../../../kit/share.ts"
import { animation, gifOf, plainPicture, pngHeader, webpOf } from "../../../kit/some-pictures.ts"

const describe = (bytes: Uint8Array) => describePicture(sharp, bytes).catch(() => null)
const shrink = (bytes: Uint8Array) => shrinkPicture(sharp, bytes).catch(() => null)

/** Name, size, type and number of pictures of each thumbnail. */
const formsOf = async (bytes: Uint8Array) => {
  const forms: Array<unknown> = []
  for (const { format, bytes: made } of (await shrink(bytes)) ?? []) {
    const header = await sharp(made, { animated: true }).metadata()
    forms.push([format, header.format, header.width, header.pageHeight ?? header.height, header.pages ?? 1])
  }
  return forms
}

t.test("pictures are known by their bytes, with their size as it is shown", async (t) => {
  const rows: ReadonlyArray<readonly [contentType: string, bytes: Uint8Array]> = [
    ["image/png", await plainPicture(300, 200).png().toBuffer()],
    ["image/jpeg", await plainPicture(300, 200).jpeg().toBuffer()],
    ["image/jpeg", await plainPicture(300, 200).jpeg({ progressive: true }).toBuffer()],
    ["image/gif", await plainPicture(300, 200).gif().toBuffer()],
    ["image/webp", await plainPicture(300, 200).webp({ lossless: true }).toBuffer()],
    ["image/avif", await plainPicture(300, 200).avif({ effort: 0 }).toBuffer()],
    ["image/tiff", await plainPicture(300, 200).tiff().toBuffer()],
  ]
  for (const [contentType, bytes] of rows) {
    t.same(await describe(bytes), { contentType, width: 300, height: 200, isAnimated: false }, contentType)
    const transcoded = contentType === "image/tiff" ? [["300x200.webp", "webp", 300, 200, 1]] : []
    t.same(await formsOf(bytes), [["840x560.webp", "webp", 300, 200, 1], ...transcoded], contentType)
  }
  const turned = await plainPicture(300, 200).withMetadata({ orientation: 6 }).jpeg().toBuffer()
  t.match(await describe(turned), { width: 200, height: 300 })
  t.same(await formsOf(turned), [["840x560.webp", "webp", 200, 300, 1]])
  const [thumbnail] = (await shrink(turned)) ?? []
  const { exif, orientation } = await sharp(thumbnail?.bytes).metadata()
  t.same([exif, orientation], [undefined, undefined], "nothing is left but pixels")
  t.same(await formsOf(await plainPicture(4000, 1000).png().toBuffer()), [["840x560.webp", "webp", 840, 210, 1]])
})

t.test("animations stay animated, and have a still form", inTurn(2, "animations"), async (t) => {
  for (const [kind, bytes] of [
    [
      "gif",
      await animation(100, 80, 3)
        .gif({ delay: [50, 60, 70] })
        .toBuffer(),
    ],
    [
      "webp",
      await animation(100, 80, 3)
        .webp({ delay: [50, 60, 70] })
        .toBuffer(),
    ],
  ] as const) {
    t.match(await describe(bytes), { contentType: `image/${kind}`, width: 100, height: 80, isAnimated: true }, kind)
    t.same(
      await formsOf(bytes),
      [
        ["840x560.webp", "webp", 100, 80, 1],
        ["840x560-anim.webp", "webp", 100, 80, 3],
      ],
      kind,
    )
  }
  const long = await formsOf(await animation(2000, 2000, 6).gif().toBuffer())
  t.same(long[1], ["840x560-anim.webp", "webp", 560, 560, 5], "of a long one the beginning is animated")
})

t.test("what is no picture, or would take much to decode, is none", inTurn(2, "no pictures"), async (t) => {
  const png = await plainPicture(300, 200).png().toBuffer()
  const none: ReadonlyArray<readonly [what: string, bytes: Uint8Array]> = [
    ["nothing", Buffer.from("")],
    ["text", Buffer.from("<script>")],
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')],
    ["a beginning", png.subarray(0, 12)],
    ["a PDF behind a beginning", Buffer.concat([png.subarray(0, 8), Buffer.from("%PDF-1.4")])],
    ["a vast PNG", pngHeader(40_000, 40_000)],
    ["a PNG of no size", pngHeader(0, 10)],
    ["an interlaced PNG of 25 megapixels", pngHeader(5000, 5000, 1)],
    ["an AVIF of nine megapixels", await plainPicture(3000, 3000).avif({ effort: 0 }).toBuffer()],
    ["a vast GIF", gifOf(65_000, 1000, 1)],
    ["an animation of too many pictures", gifOf(4, 4, mostFrames + 1)],
    ["a million pictures", gifOf(1, 1, 1_000_000)],
    ["a WebP of too many pictures", webpOf(mostFrames + 1)],
    ["too many bytes", Buffer.concat([png, Buffer.alloc(mostImageBytes)])],
  ]
  for (const [what, bytes] of none) {
    t.equal(await describe(bytes), null, what)
    t.equal(await shrink(bytes), null, what)
  }
  const large = await plainPicture(9000, 9000).png().toBuffer()
  t.match(await describe(large), { width: 9000, height: 9000 }, "81 megapixels that are decoded by rows")
  t.equal((await formsOf(large)).length, 1)
})

t.test("what has the header of a picture and no more cannot be decoded", async (t) => {
  const noise = Buffer.from(Array.from({ length: 300 * 200 * 3 }, (_, n) => (n * n * 7919) % 251))
  const whole = sharp(noise, { raw: { width: 300, height: 200, channels: 3 } })
  for (const bytes of [await whole.png().toBuffer(), await whole.jpeg().toBuffer()]) {
    const half = bytes.subarray(0, bytes.length / 2)
    t.match(await describe(half), { width: 300, height: 200 })
    t.equal(await shrink(half), null)
  }
})

t.test("a polyglot is the picture that its first bytes say", async (t) => {
  const page = Buffer.concat([await plainPicture(30, 20).gif().toBuffer(), Buffer.from("<script>alert(1)</script>")])
  t.match(await describe(page), { contentType: "image/gif" })
  const [thumbnail] = (await shrink(page)) ?? []
  t.notOk(Buffer.from(thumbnail?.bytes ?? "").includes("script"))
  t.equal(pictureType(Buffer.from("II*\0abc")), undefined, "no browser shows it")
  t.equal(decodableType(Buffer.from("II*\0abc")), "image/tiff")
})
