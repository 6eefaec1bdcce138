/** All pairs of values are covered, with few combinations, and always with the same ones. */
import t from "tap"
import { pairwise } from "./pairwise.ts"

type Dimensions = Readonly<Record<string, ReadonlyArray<unknown>>>

/** Each pair of values of two dimensions, as text. */
const allPairs = (dimensions: Dimensions): ReadonlyArray<string> => {
  const entries = Object.entries(dimensions)
  return entries.flatMap(([left, leftValues], at) =>
    entries
      .slice(at + 1)
      .flatMap(([right, rightValues]) =>
        leftValues.flatMap((a) => rightValues.map((b) => `${left}=${String(a)} ${right}=${String(b)}`)),
      ),
  )
}

/** The pairs of values that one combination holds, as text. */
const pairsIn = (combination: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  allPairs(Object.fromEntries(Object.entries(combination).map(([name, value]) => [name, [value]])))

const binary = [true, false]
const examples: ReadonlyArray<readonly [what: string, dimensions: Dimensions, most: number]> = [
  ["two dimensions: the product", { a: [1, 2, 3], b: ["x", "y"] }, 6],
  ["three of two values", { a: binary, b: binary, c: binary }, 5],
  ["ten of two values, 1,024 in full", Object.fromEntries([..."abcdefghij"].map((name) => [name, binary])), 12],
  [
    "of different sizes, 360 in full",
    { a: [1, 2, 3, 4, 5], b: binary, c: ["x", "y", "z"], d: [0, 1, 2], e: [..."pqrs"] },
    26,
  ],
  ["undefined is a value like others", { a: [undefined, 1], b: [null, undefined], c: binary }, 5],
]

for (const [what, dimensions, most] of examples) {
  t.test(what, async (t) => {
    const combinations = pairwise(dimensions)
    const covered = new Set(combinations.flatMap(pairsIn))
    t.same(
      allPairs(dimensions).filter((pair) => !covered.has(pair)),
      [],
      "every pair occurs",
    )
    for (const combination of combinations)
      for (const [name, values] of Object.entries(dimensions)) t.ok(values.includes(combination[name]), name)
    t.ok(combinations.length <= most, `${combinations.length} combinations, at most ${most}`)
    t.same(pairwise(dimensions), combinations, "the same ones again")
  })
}

t.test("fewer than two dimensions", async (t) => {
  t.same(pairwise({ a: [1, 2] }), [{ a: 1 }, { a: 2 }], "each value of the only one")
  t.same(pairwise({}), [], "nothing of nothing")
  t.same(pairwise({ a: [1, 2], b: [] }), [], "no combination where a dimension has no value")
})

t.test("the types of the values are kept", async (t) => {
  const [first] = pairwise({ count: [1, 2], name: ["x"] })
  const length: number | undefined = first === undefined ? undefined : first.count + first.name.length
  t.equal(length, 2)
})
