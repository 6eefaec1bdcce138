/** The process that decodes pictures: what it answers, and that a file that takes too much ends it and nothing else. */

import { Readable } from "node:stream"
import { deflateSync } from "node:zlib"
import sharp from "sharp"
import t from "tap"
import { type FileToDecode, makeDecoder } from "../../../../src/chat/ground/images/process/decoder.ts"
import { inTurn } from "../../../kit/share.ts"
import { animation, plainPicture, pngChunk } from "../../../kit/some-pictures.ts"

const fileOf = (...parts: ReadonlyArray<Uint8Array>): FileToDecode => ({
  size: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
  read: () => Readable.from(parts),
})

/** A small picture with this many texts in it, of 50 MB each, which every reader of PNG unpacks. */
const withTexts = (png: Uint8Array, count: number): ReadonlyArray<Uint8Array> => {
  const text = pngChunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(Buffer.alloc(50_000_000))]))
  const endOfHeader = 8 + 25
  return [png.subarray(0, endOfHeader), ...Array.from({ length: count }, () => text), png.subarray(endOfHeader)]
}

t.test("files one after the other", async (t) => {
  const decoder = makeDecoder(0)
  t.teardown(decoder.close)
  const png = await plainPicture(300, 200).png().toBuffer()
  const described = { contentType: "image/png", width: 300, height: 200, isAnimated: false }
  const [first, made, emoji, none] = await Promise.all([
    decoder.run("describe", fileOf(png.subarray(0, 10), png.subarray(10))),
    decoder.run("shrink", fileOf(png)),
    decoder.run("emoji", fileOf(await animation(100, 80, 3).gif().toBuffer())),
    decoder.run("describe", fileOf(Buffer.from("text"))),
  ])
  t.same(first, { value: described, files: [] })
  t.same(made?.value, ["840x560.webp"])
  t.match(await sharp(made?.files[0]).metadata(), { format: "webp", width: 300 })
  t.same([emoji?.value, emoji?.files.length], ["webp", 2])
  t.same(none, { value: null, files: [] })
  t.same((await decoder.run("emoji", fileOf(await plainPicture(9000, 9000).png().toBuffer())))?.value, "too large")
})

t.test(
  "a large file in many parts leaves no listeners behind",
  inTurn(2, "a large file in many parts leaves no listeners behind"),
  async (t) => {
    const warnings: Array<Error> = []
    const note = (warning: Error) => {
      if (warning.name === "MaxListenersExceededWarning") warnings.push(warning)
    }
    process.on("warning", note)
    t.teardown(() => process.off("warning", note))
    const decoder = makeDecoder(0)
    t.teardown(decoder.close)
    const parts = Array.from({ length: 100 }, () => Buffer.alloc(256 * 1024))
    t.same(await decoder.run("describe", fileOf(...parts)), { value: null, files: [] })
    await new Promise((resolve) => setImmediate(resolve))
    t.same(warnings, [])
  },
)

t.test(
  "what takes too much is none, and the next file is not hurt",
  inTurn(2, "what takes too much is none, and the next file is not hurt"),
  async (t) => {
    const decoder = makeDecoder(0)
    t.teardown(decoder.close)
    const png = await plainPicture(100, 100).png().toBuffer()
    const hostile = fileOf(...withTexts(png, 300))
    const [unreadable, next] = await Promise.all([
      decoder.run("describe", hostile),
      decoder.run("describe", fileOf(...withTexts(png, 1))),
    ])
    t.equal(unreadable, null)
    t.match(next?.value, { width: 100 })
  },
)

t.test(
  "a file that cannot be read, or is shorter than it was, is none",
  inTurn(2, "a file that cannot be read, or is shorter than it was, is none"),
  async (t) => {
    const decoder = makeDecoder(0)
    t.teardown(decoder.close)
    const png = await plainPicture(30, 20).png().toBuffer()
    const broken = async function* () {
      yield png.subarray(0, 20)
      throw new Error("removed")
    }
    t.equal(await decoder.run("describe", { size: png.length, read: broken }), null)
    t.equal(await decoder.run("describe", { ...fileOf(png), size: png.length + 1 }), null)
    t.match((await decoder.run("describe", fileOf(png)))?.value, { width: 30 })
  },
)

t.test(
  "nothing is begun when the server has ended",
  inTurn(2, "nothing is begun when the server has ended"),
  async (t) => {
    const decoder = makeDecoder(0)
    const png = await plainPicture(30, 20).png().toBuffer()
    const [begun, waiting] = [decoder.run("describe", fileOf(png)), decoder.run("describe", fileOf(png))]
    decoder.close()
    await t.rejects(begun)
    await t.rejects(waiting)
  },
)
