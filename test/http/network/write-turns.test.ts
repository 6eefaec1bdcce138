/** How much all answers together write in a turn of the loop, with turns that the test makes. */
import t from "tap"
import { WriteTurns } from "../../../src/http/network/write-turns.ts"

const megabyte = 1024 * 1024

/** Turns that end when `turn` is called. */
const turnsByHand = () => {
  const tasks: Array<() => void> = []
  const turns = new WriteTurns((task) => void tasks.push(task))
  return {
    turns,
    turn: () => {
      for (const task of tasks.splice(0)) task()
    },
    get isArmed() {
      return tasks.length > 0
    },
  }
}

t.test("in each turn a megabyte is written by all together, in the order in which they came", async (t) => {
  const hand = turnsByHand()
  const { turns } = hand
  const left = new Map(["a", "b", "c"].map((name) => [name, 1.5 * megabyte]))
  const done: Array<ReadonlyArray<string>> = []
  let now: Array<string> = []
  const write = (name: string) => () => {
    let rest = left.get(name) ?? 0
    while (rest > 0 && turns.mayWrite) {
      const part = Math.min(rest, megabyte / 2)
      turns.wrote(part)
      rest -= part
      now.push(name)
    }
    left.set(name, rest)
    if (rest > 0) turns.next(write(name))
  }
  for (const name of left.keys()) write(name)()
  for (let n = 0; n < 10 && hand.isArmed; n++) {
    done.push(now)
    now = []
    hand.turn()
  }
  t.same(done, [["a", "a"], ["a", "b"], ["c", "c"], ["b", "b"], ["c"]])
  t.ok([...left.values()].every((rest) => rest === 0))
  t.equal(now.length, 0)
  t.notOk(hand.isArmed, "and nothing runs where nothing waits")
})
