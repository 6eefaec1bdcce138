/** Memory of bodies' parts: what a reader still uses is not written over, and the rest is used again; and who is read when. */
import t from "tap"
import { BodyMemory } from "../../../src/http/bodies/body-memory.ts"
import { PartPool } from "../../../src/http/bodies/part-pool.ts"
import { manualClock } from "../../kit/manual-clock.ts"

const size = 64 * 1024
const partOf = (value: number): Uint8Array => new Uint8Array(size - value).fill(value)
const isOf = (copy: Uint8Array | undefined, value: number): boolean =>
  copy !== undefined && copy.length === size - value && copy.every((byte) => byte === value)
const half = new Uint8Array(512 * 1024)

const setup = () => {
  const clock = manualClock()
  const pool = new PartPool(clock)
  /** A body, and what its connection was told. */
  const makeBody = () => {
    const told: Array<string> = []
    const connection = { isOver: false }
    const memory = new BodyMemory(pool, {
      isOver: () => connection.isOver,
      pause: () => void told.push("pause"),
      resume: () => void told.push("resume"),
    })
    const taken = () => told.splice(0)
    return { memory, taken, connection }
  }
  return { clock, pool, makeBody }
}

t.test("a reader that takes one part after the other", async (t) => {
  const { memory } = setup().makeBody()
  const copies: Array<Uint8Array> = []
  for (let n = 0; n < 10; n++) {
    const copy = memory.copy(partOf(n))
    copies.push(copy)
    t.ok(isOf(copy, n) && (n === 0 || isOf(copies[n - 1], n - 1)), "this one and the one before are whole")
    memory.release(copy)
  }
  t.ok(new Set(copies.map(({ buffer }) => buffer)).size <= 4, "few are new")
})

t.test("a reader that is behind", async (t) => {
  const { memory } = setup().makeBody()
  const waiting = Array.from({ length: 20 }, (_, n) => memory.copy(partOf(n)))
  for (const [n, copy] of waiting.entries()) {
    t.ok(isOf(copy, n), `${n}`)
    memory.release(copy)
    if (n % 3 === 0) memory.copy(partOf(99))
  }
})

t.test("bodies that come one after the other share memory, and none is given out while it may be in use", async (t) => {
  const { pool, makeBody } = setup()
  const used = new Set<ArrayBufferLike>()
  for (let body = 0; body < 20; body++) {
    const { memory } = makeBody()
    const copies: Array<Uint8Array> = []
    for (let n = 0; n < 10; n++) {
      const copy = memory.copy(partOf(n))
      copies.push(copy)
      used.add(copy.buffer)
      memory.release(copy)
    }
    // Another body comes while the reader of this one has not said that it is done.
    const other = makeBody().memory
    for (let n = 0; n < 4; n++) used.add(other.copy(partOf(50)).buffer)
    t.ok(isOf(copies[9], 9) && isOf(copies[8], 8))
    memory.finish()
  }
  t.ok(used.size <= 20 * 4 + 4, `${used.size}`)
  const { memory } = makeBody()
  const last = memory.copy(partOf(1))
  memory.release(last)
  for (let n = 0; n < 200; n++) t.not(pool.take().buffer, last.buffer)
})

t.test("small parts have memory of their own", async (t) => {
  const { memory } = setup().makeBody()
  const part = new Uint8Array(100).fill(1)
  const copy = memory.copy(part)
  part.fill(2)
  t.same(
    [...copy],
    Array.from({ length: 100 }, () => 1),
  )
  memory.release(copy)
  t.not(memory.copy(part).buffer, copy.buffer)
})

t.test("while 8 MB wait for their readers, no other connection is read; then all go on", async (t) => {
  const { makeBody } = setup()
  const [fast, other, third, parked] = [makeBody(), makeBody(), makeBody(), makeBody()]
  for (const { memory } of [fast, other, third]) memory.begin()
  third.memory.pause()
  t.same(third.taken(), ["pause"])
  const copies = Array.from({ length: 16 }, () => {
    const copy = fast.memory.copy(half)
    fast.memory.pause()
    return copy
  })
  t.same([fast.taken(), other.taken(), parked.taken()], [["pause"], ["pause"], []])
  third.memory.resume()
  t.same(third.taken(), [], "who asks for more waits too")
  for (const copy of copies.splice(0, 1)) fast.memory.release(copy)
  t.same([other.taken(), third.taken(), parked.taken()], [["resume"], ["resume"], []])
  t.same(fast.taken(), [], "it has not asked for more")
  for (const copy of copies) fast.memory.release(copy)

  for (let n = 0; n < 40; n++) parked.memory.copy(half)
  t.same(other.taken(), [], "nobody waits for a body that has no reader yet")
  parked.memory.begin()
  other.memory.copy(half)
  t.same([other.taken(), third.taken()], [["pause"], ["pause"]])
  other.memory.open()
  t.same(other.taken(), ["resume"], "the connection of a body that has come whole is read on")
  third.memory.copy(half)
  t.same(other.taken(), [])
  parked.memory.leave()
  t.same(third.taken(), ["resume"])
})

t.test("a body that is refused before it has a reader is not kept", async (t) => {
  const { pool, makeBody } = setup()
  const refused = Array.from({ length: 100 }, () => makeBody())
  for (const { memory, connection } of refused) {
    memory.copy(half)
    memory.pause()
    connection.isOver = true
  }
  t.equal(pool.size, 0)
})

t.test("a body that was halted goes on although nothing of what filled the memory is ever used", async (t) => {
  const { clock, makeBody } = setup()
  const [silent, other] = [makeBody(), makeBody()]
  for (const { memory } of [silent, other]) memory.begin()
  for (let n = 0; n < 20; n++) silent.memory.copy(half)
  t.same(other.taken(), ["pause"])
  silent.connection.isOver = true
  clock.advance(100)
  t.same(other.taken(), ["resume"])
})

t.test("a body that ends without a word keeps others waiting for a moment only", async (t) => {
  const { clock, makeBody } = setup()
  const [silent, other] = [makeBody(), makeBody()]
  for (const { memory } of [silent, other]) memory.begin()
  for (let n = 0; n < 20; n++) silent.memory.copy(half)
  other.memory.pause()
  other.memory.resume()
  t.same(other.taken(), ["pause"])
  clock.advance(1000)
  t.same(other.taken(), [])
  silent.connection.isOver = true
  clock.advance(100)
  t.same(other.taken(), ["resume"])
  t.equal(clock.pending(), 0, "nothing is looked at any more")
})
