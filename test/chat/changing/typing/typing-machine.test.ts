/** Typing indicators: every event in every state, the expiry, and how many are kept. */
import t from "tap"
import type { StateValueFrom } from "xstate"
import { TypingIndicators } from "../../../../src/chat/changing/typing/typing-indicators.ts"
import {
  createTypingActor,
  type TypingEvent,
  type TypingOp,
  type typingMachine,
} from "../../../../src/chat/changing/typing/typing-machine.ts"
import { manualClock } from "../../../kit/manual-clock.ts"

type State = StateValueFrom<typeof typingMachine>
/** `expired`: the expiry passes and nobody says anything. */
type Event = TypingEvent["type"] | "expired"

interface Expected {
  readonly next: State
  readonly announced: ReadonlyArray<TypingOp>
}

const expiryMilliseconds = 45_000

/** An actor on a clock of its own, with a record of what it announced. */
const begin = () => {
  const clock = manualClock()
  const actor = createTypingActor(clock, expiryMilliseconds)
  const announced: Array<TypingOp> = []
  actor.on("announce", ({ op }) => void announced.push(op))
  actor.start()
  return {
    clock,
    announced,
    state: (): State => actor.getSnapshot().value,
    act: (event: Event) => {
      if (event === "expired") clock.advance(expiryMilliseconds)
      else actor.send({ type: event })
    },
    stop: () => void actor.stop(),
  }
}

/** How each state is reached from a new actor. */
const reach: Readonly<Record<State, ReadonlyArray<Event>>> = {
  silent: [],
  typing: ["start"],
}

const table: Readonly<Record<State, Readonly<Record<Event, Expected>>>> = {
  silent: {
    start: { next: "typing", announced: ["start"] },
    stop: { next: "silent", announced: ["stop"] },
    expired: { next: "silent", announced: [] },
  },
  typing: {
    start: { next: "typing", announced: ["start"] },
    stop: { next: "silent", announced: ["stop"] },
    expired: { next: "silent", announced: ["stop"] },
  },
}

const states = Object.keys(table) as ReadonlyArray<State>
const eventsOf = (state: State) => Object.keys(table[state]) as ReadonlyArray<Event>

t.test("every event in every state", async (t) => {
  for (const state of states) {
    for (const event of eventsOf(state)) {
      const expected = table[state][event]
      const typist = begin()
      for (const each of reach[state]) typist.act(each)
      t.equal(typist.state(), state, `${state} is reached`)
      typist.announced.length = 0
      typist.act(event)
      t.equal(typist.state(), expected.next, `${state} × ${event} leads to ${expected.next}`)
      t.strictSame(typist.announced, expected.announced, `${state} × ${event} announces`)
      t.equal(typist.clock.pending(), expected.next === "typing" ? 1 : 0, "the expiry is armed only while typing")
    }
  }
})

t.test("the timer", async (t) => {
  t.test("expires at its millisecond, once", async (t) => {
    const typist = begin()
    typist.act("start")
    typist.clock.advance(expiryMilliseconds - 1)
    t.strictSame(typist.announced, ["start"])
    typist.clock.advance(1)
    t.strictSame(typist.announced, ["start", "stop"])
    typist.clock.advance(10 * expiryMilliseconds)
    t.strictSame(typist.announced, ["start", "stop"])
  })

  t.test("counts from the latest start", async (t) => {
    const typist = begin()
    typist.act("start")
    typist.clock.advance(30_000)
    typist.act("start")
    typist.clock.advance(expiryMilliseconds - 1)
    t.strictSame(typist.announced, ["start", "start"], "the first start's expiry is gone")
    typist.clock.advance(1)
    t.strictSame(typist.announced, ["start", "start", "stop"])
  })

  t.test("ends with a stop, and with the actor", async (t) => {
    const stopped = begin()
    stopped.act("start")
    stopped.act("stop")
    stopped.clock.advance(expiryMilliseconds)
    t.strictSame(stopped.announced, ["start", "stop"])
    const ended = begin()
    ended.act("start")
    ended.stop()
    t.equal(ended.clock.pending(), 0)
    ended.clock.advance(expiryMilliseconds)
    t.strictSame(ended.announced, ["start"])
  })
})

/** Indicators with a record of what each key announced. */
const light = (most: number) => {
  const clock = manualClock()
  const indicators = new TypingIndicators({ clock, expiryMilliseconds, most })
  const announced: Array<string> = []
  return {
    clock,
    indicators,
    announced,
    tell: (key: string, op: TypingOp, as = key) =>
      indicators.tell(key, op, (said) => void announced.push(`${as} ${said}`)),
  }
}

t.test("an indicator is kept exactly while it is active", async (t) => {
  const { clock, indicators, announced, tell } = light(10)
  tell("a", "start")
  clock.advance(1000)
  tell("b", "start")
  t.equal(indicators.count, 2)
  tell("b", "stop")
  t.equal(indicators.count, 1, "gone after its stop")
  tell("b", "stop")
  t.equal(indicators.count, 1, "a stop alone leaves nothing behind")
  clock.advance(expiryMilliseconds - 1000)
  t.equal(indicators.count, 0, "gone after its expiry")
  t.equal(clock.pending(), 0)
  t.strictSame(announced, ["a start", "b start", "b stop", "b stop", "a stop"])
  tell("a", "start")
  t.equal(indicators.count, 1, "lit anew")
  tell("a", "stop")
  t.strictSame(announced.slice(5), ["a start", "a stop"])
})

t.test("the expiry is announced in the way of the latest request", async (t) => {
  const { clock, announced, tell } = light(10)
  tell("a", "start", "first")
  tell("a", "start", "second")
  clock.advance(expiryMilliseconds)
  t.strictSame(announced, ["first start", "second start", "second stop"])
})

t.test("beyond the limit everything is announced, and no more indicators are kept", async (t) => {
  const { clock, indicators, announced, tell } = light(2)
  for (const key of ["a", "b", "c"]) tell(key, "start")
  t.equal(indicators.count, 2)
  tell("a", "start")
  tell("c", "stop")
  t.strictSame(announced, ["a start", "b start", "c start", "a start", "c stop"])
  tell("b", "stop")
  tell("c", "start")
  t.equal(indicators.count, 2, "there is room again")
  clock.advance(expiryMilliseconds)
  t.strictSame(announced.slice(5), ["b stop", "c start", "a stop", "c stop"])
})

t.test("stopping ends all indicators without announcing anything", async (t) => {
  const { clock, indicators, announced, tell } = light(10)
  tell("a", "start")
  tell("b", "start")
  indicators.stop()
  t.equal(indicators.count, 0)
  t.equal(clock.pending(), 0)
  clock.advance(expiryMilliseconds)
  t.strictSame(announced, ["a start", "b start"])
})
