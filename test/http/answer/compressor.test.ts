import { randomBytes } from "node:crypto"
import { constants, deflateRawSync, gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import t from "tap"
import { type Deflate, makeCompressor } from "../../../src/http/answer/compressor.ts"
import { bytesOf, type JsonPieces, SecretPiece, SharedPiece } from "../../../src/json-pieces.ts"

const text = (word: string, bytes: number): Buffer => Buffer.alloc(bytes, `${word} `)
const wholeOf = (pieces: JsonPieces): Buffer => Buffer.concat(pieces.map(bytesOf))
const always = () => true

/** A compressor whose work waits until the test lets it go on. */
const stage = () => {
  const begun: Array<Uint8Array> = []
  const waiting: Array<() => void> = []
  let most = 0
  const work: Deflate = (bytes, level) =>
    Effect.callback((resume) => {
      begun.push(bytes)
      waiting.push(() => resume(Effect.succeed(deflateRawSync(bytes, { level, finishFlush: constants.Z_FULL_FLUSH }))))
      most = Math.max(most, waiting.length)
    })
  const compressor = makeCompressor(work)
  const gzip = (requester: string, pieces: JsonPieces, isWanted = always) =>
    Effect.runFork(compressor.gzip(requester, pieces, isWanted))
  /** Ends the work that is under way, and what begins then, until nothing is left. */
  const finish = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      next()
      await new Promise(setImmediate)
    }
  }
  return { begun, waiting, gzip, finish, most: () => most }
}

const join = async (fiber: Fiber.Fiber<ReadonlyArray<Uint8Array> | null>): Promise<Buffer | null> => {
  const made = await Effect.runPromise(Fiber.join(fiber))
  return made === null ? null : gunzipSync(Buffer.concat(made))
}

t.test("an answer in pieces of every kind is one gzip file of its bytes", async (t) => {
  const pieces = [
    text("begin", 30_000),
    new SharedPiece(text("shared", 200_000)),
    Buffer.from(","),
    new SharedPiece(Buffer.from("x")),
    new SecretPiece(text("key", 100_000)),
    new SharedPiece(randomBytes(70_000)),
    Buffer.alloc(0),
    text("end", 9_000),
  ]
  const compressor = makeCompressor()
  const made = await Effect.runPromise(compressor.gzip("a", pieces, always))
  const file = Buffer.concat(made ?? [])
  t.ok(gunzipSync(file).equals(wholeOf(pieces)))
  t.ok(file.includes(text("key", 50_000)), "keys are not compressed")
  t.notOk(file.includes(text("shared", 1_000)))
})

t.test("what answers share is compressed once, also if they come at once", async (t) => {
  const { begun, gzip, finish } = stage()
  const shared = [1, 2, 3].map((n) => new SharedPiece(text(`shared ${n}`, 50_000)))
  const answers = Array.from({ length: 20 }, (_, n) => [text(`own ${n}`, 10_000), ...shared, Buffer.from("end")])
  const fibers = answers.map((pieces, n) => gzip(`user ${n}`, pieces))
  await finish()
  for (const [n, fiber] of fibers.entries()) t.ok((await join(fiber))?.equals(wholeOf(answers[n] ?? [])), `answer ${n}`)
  t.equal(begun.length, 20 + 3)
  const again = gzip("another", shared)
  t.ok((await join(again))?.equals(wholeOf(shared)), "at once")
  t.equal(begun.length, 20 + 3)
})

t.test("a few pieces are compressed at a time, in turns by requester", async (t) => {
  const { begun, gzip, finish, most } = stage()
  const greedy = Array.from({ length: 10 }, (_, n) => gzip("greedy", [text(`greedy ${n}`, 9_000)]))
  const modest = gzip("modest", [text("modest", 9_000)])
  await finish()
  await Promise.all([...greedy, modest].map(join))
  t.ok(most() <= 2, `${most()} at a time`)
  const place = begun.findIndex((bytes) => Buffer.from(bytes).toString().startsWith("modest"))
  t.ok(place <= 2, `in place ${place}`)
})

t.test("nothing more is compressed for a client that has gone away", async (t) => {
  const { begun, waiting, gzip, finish } = stage()
  let isHere = true
  const first = gzip("a", [text("1", 9_000), text("2", 9_000)], () => isHere)
  const second = gzip("a", [text("3", 9_000)], () => isHere)
  const others = [gzip("b", [text("4", 9_000)]), gzip("c", [text("5", 9_000)])]
  isHere = false
  t.ok(waiting.length >= 1, "the first piece is under way")
  await finish()
  t.equal(await join(first), null)
  for (const fiber of others) t.ok(await join(fiber))
  const words = begun.map((bytes) => Buffer.from(bytes).toString("latin1", 0, 1))
  t.notOk(words.includes("2"))
  // With more than two processors the second answer began beside the first one.
  t.equal((await join(second)) === null, !words.includes("3"))
})

t.test("a piece that cannot be compressed fails its answer, and gives its turn back", async (t) => {
  let calls = 0
  const compressor = makeCompressor((bytes) =>
    Effect.suspend(() => {
      calls += 1
      return calls <= 5 ? Effect.die(new Error("no memory")) : Effect.succeed(deflateRawSync(bytes))
    }),
  )
  for (let n = 0; n < 5; n++) {
    const exit = await Effect.runPromise(Effect.exit(compressor.gzip("a", [text("x", 9_000)], always)))
    t.equal(exit._tag, "Failure")
  }
  t.ok(await Effect.runPromise(compressor.gzip("a", [text("x", 9_000)], always)))
})
