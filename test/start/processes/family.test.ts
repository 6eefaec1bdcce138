/** What a process that starts others does when one of them is ready or ends, when a signal comes, and when time passes. */
import t from "tap"
import {
  beginFamily,
  type Family,
  type FamilyEvent,
  type Order,
  type Stepped,
  step,
} from "../../../src/start/processes/family.ts"
import { manualClock } from "../../../src/testing/test-clock.ts"

const leaveSeconds = 5

/** A family whose orders are noted, as `start 1`, and whose timers are those of a clock that stands still. */
const makeFamily = (wanted = 3) => {
  const clock = manualClock()
  const setup = { wanted, leaveSeconds }
  let done: Array<string> = []
  let family: Family
  const carryOut = (order: Order): void => {
    if (order.order === "wake") clock.after(order.seconds * 1000, () => happen({ is: "due", ...order.awaited }))
    else if (order.order === "say") done.push(`${order.level}: ${order.message}`)
    else done.push(order.order === "exit" ? `exit ${order.code}` : `${order.order} ${order.number}`)
  }
  const become = ([after, orders]: Stepped): void => {
    family = after
    orders.forEach(carryOut)
  }
  const happen = (event: FamilyEvent): void => become(step(family, event, clock.elapsed(), setup))
  /** What was ordered since this was asked last. */
  const orders = (): ReadonlyArray<string> => {
    const taken = done
    done = []
    return taken
  }
  const ready = (...numbers: ReadonlyArray<number>) => {
    for (const number of numbers) happen({ is: "ready", number })
  }
  const end = (number: number, code: number | null = 0) =>
    happen({ is: "ended", number, code, how: code === null ? "SIGKILL" : `exit code ${code}` })
  become(beginFamily(setup, clock.elapsed()))
  return { clock, happen, orders, ready, end }
}

/** All serve. */
const serving = (wanted = 3) => {
  const made = makeFamily(wanted)
  made.ready(...Array.from({ length: wanted }, (_, n) => n + 1))
  made.orders()
  return made
}

t.test("the first one starts alone, and the others when it is ready", async (t) => {
  const { ready, orders } = makeFamily()
  t.same(orders(), ["start 1"])
  ready(1)
  t.same(orders(), ["start 2", "start 3"])
  ready(2, 3)
  t.same(orders(), ["info: 3 processes serve one port"])
})

t.test("a first start that is refused ends all with its code, and without a word", async (t) => {
  const first = makeFamily()
  first.orders()
  first.end(1, 2)
  t.same(first.orders(), ["exit 2"])

  const third = makeFamily()
  third.ready(1, 2)
  third.orders()
  third.end(3, 2)
  t.same(third.orders(), ["stop 1", "stop 2"])
  third.end(1)
  t.same(third.orders(), [])
  third.end(2)
  t.same(third.orders(), ["exit 2"])
})

t.test("a first start that ends otherwise is tried again, and the others come after it", async (t) => {
  const { clock, end, ready, orders } = makeFamily()
  orders()
  end(1, 1)
  t.same(orders(), ["warn: process 1 has ended (exit code 1), and is started again in 1 s"])
  clock.advance(1000)
  t.same(orders(), ["start 1"])
  end(1, 2)
  t.same(orders(), ["warn: process 1 has ended (exit code 2), and is started again in 2 s"], "no first start any more")
  clock.advance(2000)
  ready(1)
  t.same(orders(), ["start 1", "start 2", "start 3"])
})

t.test("who dies is started again after waits that grow, and are short again after a minute of life", async (t) => {
  const { clock, end, ready, orders } = serving()
  for (const seconds of [1, 2, 4, 8, 16, 30, 30]) {
    end(2, null)
    t.same(orders(), [`warn: process 2 has ended (SIGKILL), and is started again in ${seconds} s`])
    clock.advance(seconds * 1000 - 1)
    t.same(orders(), [])
    clock.advance(1)
    t.same(orders(), ["start 2"])
    ready(2)
  }
  t.same(orders(), [], "nothing is said of one that serves again")
  clock.advance(59_999)
  end(2, 0)
  t.match(orders(), [/ 30 s$/])
  clock.advance(30_000)
  ready(2)
  clock.advance(60_000)
  end(2, 0)
  t.match(orders(), ["start 2", / \(exit code 0\), and is started again in 1 s$/])
  end(3, null)
  t.match(orders(), [/ 1 s$/], "each has waits of its own")
})

t.test("all end at a signal, and the parent when they have", async (t) => {
  const { clock, happen, end, orders } = serving()
  end(2, null)
  orders()
  happen({ is: "end" })
  t.same(orders(), ["stop 1", "stop 3"])
  clock.advance((leaveSeconds + 60) * 1000 - 1)
  happen({ is: "end" })
  happen({ is: "roll" })
  t.same(orders(), [], "what waited for its start does not start")
  end(3)
  clock.advance(1)
  t.same(orders(), ["warn: process 1 does not end, and is killed", "kill 1"])
  end(1, null)
  t.same(orders(), ["exit 0"])

  const nobody = makeFamily()
  nobody.end(1, 1)
  nobody.orders()
  nobody.happen({ is: "end" })
  t.same(nobody.orders(), ["exit 0"])
})

t.test("a roll starts another one first, then ends the old one, one after the other", async (t) => {
  const { clock, happen, end, ready, orders } = serving()
  happen({ is: "roll" })
  t.same(orders(), ["info: SIGHUP: another process takes the place of each, one after the other", "start 4"])
  ready(4)
  t.same(orders(), ["replace 1"])
  end(1)
  t.same(orders(), ["start 1"], "a number that is free is given again")
  ready(1)
  t.same(orders(), ["replace 2"])
  end(2)
  t.same(orders(), ["start 2"])
  ready(2)
  t.same(orders(), ["replace 3"])
  end(3)
  t.same(orders(), ["info: the roll is over: all processes are new"])
  clock.advance(3_600_000)
  t.same(orders(), [], "no timer of it is left")
  happen({ is: "roll" })
  t.match(orders(), [/^info: SIGHUP/, "start 3"], "another roll")
  ready(3)
  t.same(orders(), ["replace 1"])
})

t.test("a new process that is not ready ends the roll, and the old ones stay", async (t) => {
  const { happen, end, orders } = serving()
  happen({ is: "roll" })
  orders()
  end(4, 2)
  const said =
    "error: process 4 was to take another's place and was not ready (exit code 2): the roll ends, those that serve go on"
  t.same(orders(), [said])

  const late = serving()
  late.happen({ is: "roll" })
  late.orders()
  late.clock.advance(600_000)
  t.same(late.orders(), ["warn: process 4 is not ready after 600 s", "kill 4"])
  late.end(4, null)
  t.same(late.orders(), [said.replace("exit code 2", "SIGKILL")])
})

t.test("an old process that does not end is killed, after the time that it may take", async (t) => {
  const { clock, happen, end, ready, orders } = serving()
  happen({ is: "roll" })
  ready(4)
  orders()
  clock.advance((leaveSeconds + 60) * 1000)
  t.same(orders(), ["warn: process 1 does not end, and is killed", "kill 1"])
  end(1, null)
  t.same(orders(), ["start 1"])
})

t.test("the time in which a process had to be ready is over when it is", async (t) => {
  const { clock, happen, end, ready, orders } = serving(2)
  happen({ is: "roll" })
  ready(3)
  end(1)
  ready(1)
  end(2)
  clock.advance(590_000)
  happen({ is: "roll" })
  ready(2)
  orders()
  clock.advance(10_000)
  t.same(orders(), [], "the one that leaves by now is not killed for it")
})

t.test("who dies during a roll", async (t) => {
  const old = serving()
  old.happen({ is: "roll" })
  old.orders()
  old.end(1, null)
  t.same(old.orders(), ["warn: process 1 has ended (SIGKILL); 4 takes its place"])
  old.ready(4)
  t.same(old.orders(), ["start 1"], "nobody is replaced by it, and the next has its turn")

  const both = serving()
  both.happen({ is: "roll" })
  both.end(1, null)
  both.orders()
  both.end(4, 1)
  t.match(both.orders(), [/^error: process 4 .*: the roll ends/, /^warn: process 4 .* is started again in 1 s$/])
  both.clock.advance(1000)
  t.same(both.orders(), ["start 4"], "there are three again")

  const another = serving()
  another.happen({ is: "roll" })
  another.end(2, null)
  another.orders()
  another.ready(4)
  another.clock.advance(1000)
  t.same(another.orders(), ["replace 1", "start 2"])
  another.ready(2)
  another.end(1)
  t.same(another.orders(), ["start 1"])
  another.ready(1)
  t.same(another.orders(), ["replace 3"], "what was started meanwhile is new already")
})

t.test("a signal to roll that comes early or twice", async (t) => {
  const early = makeFamily(2)
  early.ready(1)
  early.orders()
  early.happen({ is: "roll" })
  t.match(early.orders(), [/^warn: SIGHUP: nothing is rolled/])

  const { happen, end, ready, orders } = serving(2)
  happen({ is: "roll" })
  ready(3)
  orders()
  happen({ is: "roll" })
  t.match(orders(), [/^info: SIGHUP: the roll goes on/])
  end(1)
  ready(1)
  t.same(orders(), ["start 1", "replace 2"])
  end(2)
  ready(2)
  t.same(orders(), ["start 2", "replace 3"], "the one that was new before the second signal, too")
  end(3)
  t.match(orders(), [/^info: the roll is over/])
})

t.test("a roll that is under way is given up at the end", async (t) => {
  const { happen, end, ready, orders } = serving(2)
  happen({ is: "roll" })
  ready(3)
  orders()
  happen({ is: "end" })
  t.same(orders(), ["stop 2", "stop 3"], "who leaves is not told again")
  end(1)
  end(2)
  end(3)
  t.same(orders(), ["exit 0"])
})
