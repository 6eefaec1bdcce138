import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import t from "tap"
import { awaitTurn, FairTurns, type TurnLimits, type TurnRequest } from "../../src/fairness/fair-turns.ts"
import { manualClock } from "../kit/manual-clock.ts"

const limits: TurnLimits = { capacity: 2, perOwner: 2, ownerWaiting: 3, allWaiting: 5 }

/** Turns that note the order in which they begin. */
const stage = (changed: Partial<TurnLimits> = {}) => {
  const turns = new FairTurns({ ...limits, ...changed })
  const begun: Array<string> = []
  const running = new Map<string, TurnRequest>()
  const enter = (name: string, cost = 1) => {
    const turn: TurnRequest = {
      owner: name.charAt(0),
      cost,
      begin: () => {
        begun.push(name)
        running.set(name, turn)
      },
    }
    return turns.enter(turn)
  }
  const leave = (name: string) => {
    const turn = running.get(name)
    if (turn === undefined) throw new Error(`${name} has not begun`)
    running.delete(name)
    turns.leave(turn)
  }
  return { turns, begun, enter, leave }
}

t.test("owners take turns, whoever of them asked for more", (t) => {
  const { begun, enter, leave } = stage()
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter(name)
  for (const name of ["b1", "b2"]) enter(name)
  t.same(begun, ["a1", "a2"])
  leave("a1")
  leave("a2")
  // b has waited from the moment when it asked; a may begin again only since one of its turns has ended.
  t.same(begun, ["a1", "a2", "b1", "a3"])
  leave("b1")
  leave("a3")
  t.same(begun.slice(4).sort(), ["a4", "b2"])
  t.end()
})

t.test("an owner has no more turns at a time than allowed, and leaves the rest to others", (t) => {
  const { begun, enter } = stage({ capacity: 10, perOwner: 2 })
  for (const name of ["a1", "a2", "a3", "b1"]) enter(name)
  t.same(begun, ["a1", "a2", "b1"])
  t.end()
})

t.test("too many of an owner, and too many in all, are refused", (t) => {
  const { enter } = stage({ capacity: 1 })
  t.equal(enter("a0"), "begun")
  t.same(
    ["a1", "a2", "a3", "a4"].map((name) => enter(name)),
    ["waiting", "waiting", "waiting", "owner-full"],
  )
  t.same(
    ["b1", "b2", "c1"].map((name) => enter(name)),
    ["waiting", "waiting", "full"],
  )
  t.end()
})

t.test("a large turn waits until there is room, and is not passed over meanwhile", (t) => {
  const { turns, begun, enter, leave } = stage({ capacity: 10 })
  enter("a1", 6)
  enter("b1", 6)
  enter("c1", 1)
  t.same(begun, ["a1"], "c could begin, but then b might wait for ever")
  leave("a1")
  t.same(begun, ["a1", "b1", "c1"])
  leave("b1")
  leave("c1")
  enter("d1", 100)
  t.equal(begun.at(-1), "d1", "what is larger than all begins where nothing else runs")
  leave("d1")
  t.equal(turns.used, 0)
  t.equal(turns.waiting, 0)
  t.end()
})

t.test("who leaves the line lets those behind begin", async (t) => {
  const clock = manualClock()
  const turns = new FairTurns({ ...limits, capacity: 10 })
  const first = await Effect.runPromise(awaitTurn(turns, clock, { owner: "a", cost: 6 }, 1000))
  const late = Effect.runFork(Effect.flip(awaitTurn(turns, clock, { owner: "b", cost: 6 }, 1000)))
  const behind = Effect.runFork(awaitTurn(turns, clock, { owner: "c", cost: 1 }, 5000))
  clock.advance(1000)
  t.equal(await Effect.runPromise(Fiber.join(late)), "late")
  turns.leave(await Effect.runPromise(Fiber.join(behind)))
  turns.leave(first)
  t.equal(turns.used, 0)
  t.equal(clock.pending(), 0, "and no timer is left")
})
