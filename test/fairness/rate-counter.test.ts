/** Counting requests by windows of time: refusals, taking back, and bounded memory. */
import t from "tap"
import { makeRateCounter } from "../../src/fairness/rate-counter.ts"
import { manualClock } from "../kit/manual-clock.ts"

t.test("a window begins with the first request and admits so many", async (t) => {
  const clock = manualClock()
  const counter = makeRateCounter<string>(clock, { windowMs: 60_000, limit: 3, mostKeys: 10 })
  const end = clock.now() / 1000 + 60
  t.strictSame(counter.peek("a"), { limit: 3, remaining: 3, resetAt: end, waitSeconds: null, refused: 0 })
  t.strictSame(counter.count("a"), { limit: 3, remaining: 2, resetAt: end, waitSeconds: null, refused: 0 })
  clock.advance(20_000)
  t.strictSame(counter.count("a"), { limit: 3, remaining: 1, resetAt: end, waitSeconds: null, refused: 0 })
  t.strictSame(counter.count("a"), { limit: 3, remaining: 0, resetAt: end, waitSeconds: null, refused: 0 })
  clock.advance(11_300)
  const refused = { limit: 3, remaining: 0, resetAt: end, waitSeconds: 28.7 }
  for (let again = 1; again <= 5; again++)
    t.strictSame(counter.count("a"), { ...refused, refused: again }, "what is refused is counted apart")
  t.strictSame(counter.peek("a"), { ...refused, refused: 5 })
  t.equal(counter.count("b").remaining, 2, "another key")
  clock.advance(28_699)
  t.equal(counter.count("a").waitSeconds, 0.001)
  clock.advance(1)
  t.match(counter.count("a"), { remaining: 2, waitSeconds: null, refused: 0 }, "the next window")
})

t.test("what is taken back was never counted", async (t) => {
  const clock = manualClock()
  const counter = makeRateCounter<number>(clock, { windowMs: 1000, limit: 2, mostKeys: 10 })
  counter.takeBack(1)
  for (let round = 0; round < 5; round++) {
    t.equal(counter.count(1).waitSeconds, null)
    counter.takeBack(1)
  }
  t.equal(counter.peek(1).remaining, 2)
  counter.count(1)
  clock.advance(1000)
  counter.takeBack(1)
  t.equal(counter.peek(1).remaining, 2, "a window that has ended owes nothing")
})

t.test("a window keeps its count when its generation grows old", async (t) => {
  const clock = manualClock()
  const counter = makeRateCounter<string>(clock, { windowMs: 1000, limit: 2, mostKeys: 10 })
  clock.advance(900)
  counter.count("late")
  counter.count("late")
  clock.advance(200)
  t.equal(counter.count("late").waitSeconds, 0.8)
  clock.advance(790)
  t.equal(counter.count("late").waitSeconds, 0.01, "moved with its first window")
  clock.advance(10)
  t.equal(counter.count("late").waitSeconds, null)
})

t.test("a million keys are bounded, and wash out nobody's count", async (t) => {
  const clock = manualClock()
  const mostKeys = 10_000
  const counter = makeRateCounter<string>(clock, { windowMs: 60_000, limit: 5, mostKeys })
  for (let count = 0; count < 5; count++) counter.count("guesser")
  let refused = 0
  for (let key = 0; key < 1_000_000; key++) {
    if (counter.count(`address ${key}`).waitSeconds !== null) refused++
    if (key % 10_000 === 0) clock.advance(1000)
  }
  t.ok(counter.size() <= 2 * mostKeys, `${counter.size()} keys are kept`)
  t.ok(refused > 900_000, "those that there is no room for share one window")
  clock.advance(120_000)
  t.equal(counter.count("address 5").waitSeconds, null, "when the flood is over everybody is counted alone again")
  t.equal(counter.size(), 1)

  for (let count = 0; count < 5; count++) counter.count("guesser")
  for (let key = 0; key < 100_000; key++) counter.count(`address ${key}`)
  clock.advance(59_000)
  t.equal(counter.count("guesser").waitSeconds, 1)
})

t.test("a reserved key is counted by itself among any number of others", async (t) => {
  const clock = manualClock()
  const isReserved = (key: string) => key === "own"
  const counter = makeRateCounter<string>(clock, { windowMs: 1000, limit: 2, mostKeys: 3 }, isReserved)
  for (let key = 0; key < 10; key++) counter.count(`k${key}`)
  t.not(counter.peek("another").waitSeconds, null, "the shared window is used up")
  t.equal(counter.peek("own").remaining, 2)
  for (const remaining of [1, 0]) t.equal(counter.count("own").remaining, remaining)
  t.not(counter.count("own").waitSeconds, null)
})

t.test("what others have counted is added, and what was counted here is told once", async (t) => {
  const clock = manualClock()
  const counter = makeRateCounter<string>(clock, { windowMs: 1000, limit: 5, mostKeys: 10 })
  counter.add("a", 2)
  counter.count("a")
  counter.count("a")
  counter.takeBack("a")
  t.equal(counter.peek("a").remaining, 2)
  t.equal(counter.takeUntold("a"), 1)
  t.equal(counter.takeUntold("a"), 0)
  counter.add("a", 4)
  t.match(counter.count("a"), { remaining: 0, waitSeconds: 1, refused: 1 })
  t.equal(counter.takeUntold("a"), 0, "a refused one is not counted")
  counter.count("b")
  clock.advance(1000)
  t.equal(counter.takeUntold("b"), 0, "the window is over")
  t.equal(counter.count("a").remaining, 4)
  t.equal(counter.takeUntold("nobody"), 0)
})
