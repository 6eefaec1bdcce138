/** Bodies that are read as they come: which clients are too slow. */
import t from "tap"
import { BodyMemory } from "../../../src/http/bodies/body-memory.ts"
import { streamBody } from "../../../src/http/bodies/body-stream.ts"
import { PartPool, partBytes } from "../../../src/http/bodies/part-pool.ts"
import { manualClock } from "../../kit/manual-clock.ts"

/** A body that is being read, whose first part has come. */
const setup = async () => {
  const clock = manualClock()
  const pool = new PartPool(clock)
  let wasCut = false
  let sendPart: (part: Uint8Array, isLast: boolean) => void = () => {}
  const connection = {
    get open() {
      return !wasCut
    },
    onBody: (task: typeof sendPart) => {
      sendPart = task
    },
    pause: () => {},
    resume: () => {},
    cut: () => {
      wasCut = true
    },
  }
  const body = streamBody(connection, clock, pool, () => {})
  const parts = body.parts[Symbol.asyncIterator]()
  const first = parts.next()
  sendPart(new Uint8Array(1), false)
  await first
  return { clock, pool, parts, wasCut: () => wasCut }
}

t.test("a client that sends nothing for thirty seconds is cut", async (t) => {
  const { clock, parts, wasCut } = await setup()
  const second = parts.next()
  clock.advance(29_000)
  t.notOk(wasCut())
  clock.advance(3_000)
  t.ok(wasCut())
  await t.rejects(second, { name: "BodyLost" })
})

t.test("a client is not slow while the server does not read from it", async (t) => {
  const { clock, pool, parts, wasCut } = await setup()
  clock.advance(60_000)
  t.notOk(wasCut(), "the reader is slow")
  const other = new BodyMemory(pool, { isOver: () => false, pause: () => {}, resume: () => {} })
  other.begin()
  for (let n = 0; n < 16; n++) other.copy(new Uint8Array(partBytes))
  const second = parts.next()
  clock.advance(60_000)
  t.notOk(wasCut(), "the memory is full of what others sent")
  other.leave()
  clock.advance(29_000)
  t.notOk(wasCut(), "it has its thirty seconds")
  clock.advance(3_000)
  t.ok(wasCut())
  await t.rejects(second, { name: "BodyLost" })
})
