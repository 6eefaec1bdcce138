import * as Effect from "effect/Effect"
import t from "tap"
import { forEachInSlices, nextSlice, SliceLine } from "../src/slices.ts"

/** Counts the turns of the loop until `stop`. */
const countTurns = () => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  return {
    turns: () => turn,
    stop: () => {
      isOver = true
    },
  }
}

t.test("in each turn of the loop there is one slice, of all work together", async (t) => {
  const { turns, stop } = countTurns()
  const began: Array<number> = []
  const work = Effect.andThen(
    nextSlice,
    Effect.sync(() => began.push(turns())),
  )
  await Promise.all(Array.from({ length: 5 }, () => Effect.runPromise(work)))
  stop()
  t.equal(began.length, 5)
  t.equal(new Set(began).size, 5, `in the turns ${began}`)
})

t.test("while several wait, a slice is followed by a rest as long as itself", async (t) => {
  const waits: Array<number> = []
  const turns: Array<() => void> = []
  const line = new SliceLine((milliseconds, task) => {
    waits.push(milliseconds)
    turns.push(task)
  })
  const work = (milliseconds: number) => () => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
  }
  for (const milliseconds of [4, 2, 1, 1]) line.enter(work(milliseconds))
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) turn()
  const [first, afterFirst = 0, ...others] = waits
  t.same([first, others], [0, [0, 0]], "two that wait, or one, have the next turns of the loop")
  t.ok(afterFirst >= 4, `${afterFirst} ms`)
})

t.test("work in slices does everything once, in order, and lets others in between", async (t) => {
  const done: Array<number> = []
  const items = Array.from({ length: 40 }, (_, n) => n)
  const { turns, stop } = countTurns()
  const busy = (n: number): void => {
    const end = performance.now() + 1
    while (performance.now() < end);
    done.push(n)
  }
  await Effect.runPromise(forEachInSlices(items, busy, 1))
  stop()
  t.same(done, items)
  t.ok(turns() >= 3, "40 ms of work are no single block")
})
