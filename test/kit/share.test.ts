/** A quick run tries a share of each list, the next one another, and as many in a row as the share says try all. */
import t from "tap"

interface Environment {
  readonly PARLEY_SEED?: string
  readonly PARLEY_TEST_FULL?: string
}

const names = ["PARLEY_SEED", "PARLEY_TEST_FULL"] as const
let imports = 0

/** The module in a run with this environment, which it reads when it is imported. */
const runWith = async (environment: Environment): Promise<typeof import("./share.ts")> => {
  const before = names.map((name) => [name, process.env[name]] as const)
  const turn = (values: ReadonlyArray<readonly [name: string, value: string | undefined]>) => {
    for (const [name, value] of values) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
  turn(names.map((name) => [name, environment[name]]))
  try {
    return await import(`./share.js?import=${imports++}`)
  } finally {
    turn(before)
  }
}

/** One after the other: they share the environment. */
const runsInARow = async (first: number, count: number) => {
  const runs: Array<typeof import("./share.ts")> = []
  for (let n = 0; n < count; n++) runs.push(await runWith({ PARLEY_SEED: `${first + n}` }))
  return runs
}
const listOf = (length: number) => Array.from({ length }, (_, n) => `item ${n}`)

t.test("as many quick runs in a row as the share says try each item once, and each run tries its share", async (t) => {
  for (const n of [1, 2, 3, 6, 8]) {
    const runs = await runsInARow(1234, n)
    for (const list of [0, 1, 5, 47].map(listOf)) {
      const shares = runs.map(({ some }) => some(list, n, "a walk"))
      t.same(shares.flat().toSorted(), list.toSorted(), `${list.length} items in ${n} runs`)
      for (const { length } of shares) t.ok(Math.abs(length - list.length / n) < 1, `${length} of ${list.length}`)
    }
  }
})

t.test("about so many are tried of a list of any length", async (t) => {
  const runs = await runsInARow(7, 6)
  const shares = runs.map(({ about }) => about(listOf(47), 8, "a walk"))
  t.same(shares.flat().toSorted(), listOf(47).toSorted())
  for (const { length } of shares) t.ok(length === 7 || length === 8, `${length}`)
  t.same(runs[0]?.about(listOf(8), 8, "a walk"), listOf(8), "a short one is tried whole")
})

t.test("lists of other names begin elsewhere", async (t) => {
  const { some } = await runWith({ PARLEY_SEED: "1" })
  const beginnings = new Set(listOf(100).map((name) => some(listOf(8), 8, name)[0]))
  t.equal(beginnings.size, 8)
})

t.test("a test in turn is run by one of as many quick runs, and one that is for full runs by none", async (t) => {
  const runs = await runsInARow(99, 4)
  t.equal(runs.filter(({ inTurn }) => inTurn(4, "a test").skip === undefined).length, 1)
  t.ok(runs.every(({ fullOnly }) => fullOnly.skip !== undefined))
})

t.test("a full run tries everything", async (t) => {
  const { about, fullOnly, inTurn, isFull, some } = await runWith({ PARLEY_SEED: "3", PARLEY_TEST_FULL: "1" })
  t.ok(isFull)
  t.same(some(listOf(47), 8, "a walk"), listOf(47))
  t.same(about(listOf(47), 8, "a walk"), listOf(47))
  t.same([inTurn(8, "a test"), fullOnly], [{}, {}])
})

t.test("the seed is the one that is given, or a whole number that the run has by itself", async (t) => {
  t.equal((await runWith({ PARLEY_SEED: "42" })).seed, 42)
  const { seed } = await runWith({})
  t.ok(Number.isSafeInteger(seed) && seed >= 0, `${seed}`)
  await t.rejects(runWith({ PARLEY_SEED: "4.2" }), { message: /whole number/ })
})
