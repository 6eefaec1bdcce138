import { randomBytes } from "node:crypto"
import { constants, deflateRawSync, gunzipSync } from "node:zlib"
import t from "tap"
import { deflatedAs, GzipFile, stored } from "../../../src/http/answer/gzip.ts"

const deflated = (text: Buffer) =>
  deflatedAs(text, deflateRawSync(text, { finishFlush: constants.Z_FULL_FLUSH, level: 6 }))

const texts = [
  Buffer.from("hello ".repeat(20_000)),
  Buffer.alloc(0),
  Buffer.from("é"),
  randomBytes(70_000),
  Buffer.from("hello ".repeat(3)),
  Buffer.alloc(65_535, "a"),
  Buffer.alloc(65_536, "b"),
]

t.test("pieces in any order, deflated or stored, are one file of their texts", (t) => {
  const pieces = texts.map(deflated)
  for (let first = 0; first < texts.length; first++)
    for (let second = 0; second < texts.length; second++) {
      const [a, b] = [texts[first] ?? Buffer.of(), texts[second] ?? Buffer.of()]
      const [piece, other] = [pieces[first], pieces[second]]
      if (piece === undefined || other === undefined) throw new Error("no piece")
      const file = new GzipFile()
      file.add(piece)
      file.store(b)
      file.add(other)
      file.store(a)
      file.add(piece)
      const whole = gunzipSync(Buffer.concat(file.end()))
      t.ok(whole.equals(Buffer.concat([a, b, b, a, a])), `${first} and ${second}`)
    }
  t.end()
})

t.test("an empty file", (t) => {
  t.equal(gunzipSync(Buffer.concat(new GzipFile().end())).length, 0)
  t.end()
})

t.test("what is stored stands there as it is", (t) => {
  const secret = Buffer.from("a key that nobody may guess")
  t.ok(Buffer.from(stored(secret)).includes(secret))
  t.equal(stored(Buffer.alloc(200_000)).length, 200_000 + 4 * 5)
  t.end()
})
