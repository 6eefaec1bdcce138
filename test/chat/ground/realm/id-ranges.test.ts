import t from "tap"
import { idsOf, rangesOf } from "../../../../src/chat/ground/realm/id-ranges.ts"

t.test("sets of ids as multiranges", async (t) => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
    [[], "{}"],
    [[7], "{[7,8)}"],
    [[1, 2, 3], "{[1,4)}"],
    [[4, 5, 6, 9], "{[4,7),[9,10)}"],
    [[1, 3, 5], "{[1,2),[3,4),[5,6)}"],
    [[2 ** 40, 2 ** 40 + 1], "{[1099511627776,1099511627778)}"],
  ]
  for (const [ids, ranges] of cases) {
    t.equal(rangesOf(ids), ranges, `${ids} as ranges`)
    t.same(idsOf(ranges), ids, `${ranges} as ids`)
  }
  t.equal(rangesOf(Uint32Array.of(3, 4)), "{[3,5)}", "a set of users is an array of numbers too")
})
