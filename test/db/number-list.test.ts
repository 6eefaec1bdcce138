import t from "tap"
import { NumberList } from "../../src/db/number-list.ts"

const all = (text: string): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (const list = new NumberList(text); !list.isAtEnd; ) found.push(list.next())
  return found
}

t.test("lists of numbers", async (t) => {
  t.same(all(""), [])
  t.same(all("0"), [0])
  t.same(all("7,0,123456"), [7, 0, 123_456])
  t.same(all(`${Number.MAX_SAFE_INTEGER},1`), [Number.MAX_SAFE_INTEGER, 1])
})

t.test("anything else is refused", async (t) => {
  for (const text of ["a", "1,,2", "1;2", "-1", "1, 2", "1.5", "{1}"]) t.throws(() => all(text), text)
  t.throws(() => new NumberList("").next())
})
