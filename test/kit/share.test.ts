/** A quick run tries a share of each list, the next one another, and as many in a row as the share says try all. */
import t from "tap"
import { readSeed, sharesOf } from "./share.ts"

const runsInARow = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => sharesOf({ seed: first + n, isFull: false }))
const listOf = (length: number) => Array.from({ length }, (_, n) => `item ${n}`)

t.test("as many quick runs in a row as the share says try each item once, and each run tries its share", async (t) => {
  for (const n of [1, 2, 3, 6, 8]) {
    const runs = runsInARow(1234, n)
    for (const list of [0, 1, 5, 47].map(listOf)) {
      const shares = runs.map(({ some }) => some(list, n, "a walk"))
      t.same(shares.flat().toSorted(), list.toSorted(), `${list.length} items in ${n} runs`)
      for (const { length } of shares) t.ok(Math.abs(length - list.length / n) < 1, `${length} of ${list.length}`)
    }
  }
})

t.test("a file that is in one of several runs takes another share in time", async (t) => {
  for (const turn of [2, 3, 5])
    for (const n of [2, 3, 4, 6, 8]) {
      const seeds = Array.from({ length: (30 * n) / turn }, (_, run) => 7 + run * turn)
      const tried = seeds.flatMap((seed) => sharesOf({ seed, isFull: false }).some(listOf(n), n, "a walk"))
      t.equal(new Set(tried).size, n, `one of ${n} in one of ${turn} runs`)
    }
})

t.test("about so many are tried of a list of any length", async (t) => {
  const runs = runsInARow(7, 6)
  const shares = runs.map(({ about }) => about(listOf(47), 8, "a walk"))
  t.same(shares.flat().toSorted(), listOf(47).toSorted())
  for (const { length } of shares) t.ok(length === 7 || length === 8, `${length}`)
  t.same(runs[0]?.about(listOf(8), 8, "a walk"), listOf(8), "a short one is tried whole")
})

t.test("lists of other names begin elsewhere", async (t) => {
  const { some } = sharesOf({ seed: 1, isFull: false })
  const beginnings = new Set(listOf(100).map((name) => some(listOf(8), 8, name)[0]))
  t.equal(beginnings.size, 8)
})

t.test("a test in turn is run by one of as many quick runs", async (t) => {
  const runs = runsInARow(99, 4)
  t.equal(runs.filter(({ inTurn }) => inTurn(4, "a test").skip === undefined).length, 1)
})

t.test("a full run tries everything", async (t) => {
  const { about, inTurn, some } = sharesOf({ seed: 3, isFull: true })
  t.same(some(listOf(47), 8, "a walk"), listOf(47))
  t.same(about(listOf(47), 8, "a walk"), listOf(47))
  t.same(inTurn(8, "a test"), {})
})

t.test("the seed is the one that is given, or a whole number that the run has by itself", async (t) => {
  t.equal(readSeed("42"), 42)
  const seed = readSeed(undefined)
  t.ok(Number.isSafeInteger(seed) && seed >= 0, `${seed}`)
  for (const wrong of ["4.2", "-1", "", "abc"]) t.throws(() => readSeed(wrong), { message: /whole number/ })
})
