import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import t from "tap"
import { combineCrc32, crc32, shiftOf } from "../../../src/http/answer/crc32.ts"

/** Repeatable bytes. */
const bytesOf = (length: number): Buffer => {
  const digest = createHash("sha256").update(String(length)).digest()
  return Buffer.from(Array.from({ length }, (_, n) => (digest[n % 32] ?? 0) ^ (n >>> 5)))
}

/** As zlib writes it at the end of a gzip file. */
const expected = (bytes: Uint8Array): number => gzipSync(bytes).readUInt32LE(gzipSync(bytes).length - 8)

const lengths = [0, 1, 2, 7, 8, 31, 32, 33, 255, 256, 1000, 65_535, 65_536, 100_003]

t.test("the checksum is zlib's, and goes on from an earlier one", (t) => {
  t.equal(crc32(Buffer.from("123456789")), 0xcbf43926, "the published check value")
  for (const length of lengths) {
    const bytes = bytesOf(length)
    t.equal(crc32(bytes), expected(bytes), `${length} bytes`)
    t.equal(crc32(Buffer.alloc(0), crc32(bytes)), expected(bytes), `${length} bytes and none`)
    const half = length >> 1
    t.equal(crc32(bytes.subarray(half), crc32(bytes.subarray(0, half))), expected(bytes), `${length} in two`)
  }
  t.end()
})

t.test("the checksums of two texts make the one of both", (t) => {
  for (const first of lengths)
    for (const second of lengths) {
      const [a, b] = [bytesOf(first), bytesOf(second)]
      t.equal(
        combineCrc32(crc32(a), crc32(b), shiftOf(second)),
        expected(Buffer.concat([a, b])),
        `${first} and ${second} bytes`,
      )
    }
  t.end()
})

t.test("a long second text is no exception", (t) => {
  const [a, b] = [Buffer.from("first"), Buffer.alloc(20_000_000, "x")]
  t.equal(combineCrc32(crc32(a), crc32(b), shiftOf(b.length)), crc32(b, crc32(a)))
  t.end()
})
