/** Memory of a body's parts: what a reader still uses is not written over, and the rest is used again. */
import t from "tap"
import { PartMemory } from "../../../src/http/edge/part-memory.ts"

const size = 64 * 1024
const partOf = (value: number): Uint8Array => new Uint8Array(size - value).fill(value)
const isOf = (copy: Uint8Array | undefined, value: number): boolean =>
  copy !== undefined && copy.length === size - value && copy.every((byte) => byte === value)

t.test("a reader that takes one part after the other", async (t) => {
  const memory = new PartMemory()
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
  const memory = new PartMemory()
  const waiting = Array.from({ length: 20 }, (_, n) => memory.copy(partOf(n)))
  for (const [n, copy] of waiting.entries()) {
    t.ok(isOf(copy, n), `${n}`)
    memory.release(copy)
    if (n % 3 === 0) memory.copy(partOf(99))
  }
})

t.test("small parts have memory of their own", async (t) => {
  const memory = new PartMemory()
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
