import * as Effect from "effect/Effect"
import t from "tap"
import { SharedList } from "../../../../src/chat/ground/kinds/shared-list.ts"
import {
  bytesOf,
  JsonBlock,
  type JsonItem,
  JsonMember,
  type ListPart,
  SharedPiece,
} from "../../../../src/json-pieces.ts"
import { Random } from "../../../events/model/random.ts"

const item = (id: number, version = 1): JsonItem => ({ text: JSON.stringify({ id, version }) })

const stage = (count: number) => {
  const lists: Array<SharedList<JsonItem>> = []
  const make = () => {
    const list = new SharedList<JsonItem>(64, lists)
    lists.push(list)
    return list
  }
  const list = make()
  const items = Array.from({ length: count }, (_, n) => item(n + 1))
  for (const [n, each] of items.entries()) list.set(n + 1, each)
  return { list, items, make }
}

const textOf = (parts: ReadonlyArray<ListPart>): string => `{${new JsonMember("list", parts).text}}`
const piecesOf = (parts: ReadonlyArray<ListPart>) => Effect.runPromise(new JsonMember("list", parts).pieces)
const sharedOf = async (parts: ReadonlyArray<ListPart>) =>
  (await piecesOf(parts)).filter((piece) => piece instanceof SharedPiece)

t.test("the parts of a list without differences are its largest blocks, the same each time", async (t) => {
  const { list, items } = stage(200)
  const [first, second] = [list.parts([], () => "never"), list.parts([], () => "never")]
  t.equal(first.length, 4)
  t.ok(first.every((part, n) => part instanceof JsonBlock && part === second[n]))
  t.equal(textOf(first), `{"list":[${items.map(({ text }) => text).join(",")}]}`)
  const pieces = await piecesOf(first)
  t.equal(`{${Buffer.concat(pieces.map(bytesOf)).toString()}}`, textOf(first))
  t.same(await sharedOf(first), await sharedOf(second))
})

t.test("blocks that were prepared are the parts", async (t) => {
  const { list } = stage(200)
  const prepared = [...list.prepare()]
  t.equal(prepared.length, 4)
  t.ok(list.parts([], () => "never").every((part, n) => part === prepared[n]))
  t.same([...stage(0).list.prepare()], [])
})

t.test("the parts of an object are its members", async (t) => {
  const { list } = stage(0)
  for (const id of [2, 70]) list.set(id, { text: `"${id}":{}` })
  const members = (parts: ReadonlyArray<ListPart>) => new JsonMember("people", parts, ["{", "}"])
  const all = members(list.parts([], () => "never"))
  t.equal(all.text, '"people":{"2":{},"70":{}}')
  t.equal(Buffer.concat((await Effect.runPromise(all.pieces)).map(bytesOf)).toString(), all.text)
  t.equal(members([]).text, '"people":{}')
})

t.test("whatever differs, the list is what it should be, in the order of ids", async (t) => {
  const { list } = stage(300)
  const random = new Random(7)
  for (let id = 1; id <= 300; id++) if (random.below(5) === 0) list.set(id, undefined)
  for (let round = 0; round < 50; round++) {
    const differing = new Map<number, string | undefined>()
    for (let n = random.below(40); n > 0; n--)
      differing.set(1 + random.below(330), random.below(2) === 0 ? undefined : `{"own":${random.below(100)}}`)
    const alone = (id: number) => (differing.has(id) ? differing.get(id) : list.item(id)?.text)
    const parts = list.parts(
      [...differing.keys()].sort((a, b) => a - b),
      alone,
    )
    const expected = Array.from({ length: 331 }, (_, id) => alone(id)).filter((text) => text !== undefined)
    const whole = `{"list":[${expected.join(",")}]}`
    t.equal(textOf(parts), whole)
    const pieces = await piecesOf(parts)
    t.equal(`{${Buffer.concat(pieces.map(bytesOf)).toString()}}`, whole)
  }
})

t.test("a difference leaves all else in blocks", (t) => {
  const { list } = stage(255)
  const parts = list.parts([100], (id) => (id === 100 ? undefined : list.item(id)?.text))
  // Three of the four of each size, and the three beside it alone.
  t.equal(parts.filter((part) => part instanceof JsonBlock).length, 3 + 3 + 3)
  t.equal(parts.length, 3 + 3 + 3 + 3)
  t.notMatch(textOf(parts), /"id":100,/)
  t.match(textOf(parts), /"id":99,.*"id":101,/)
  t.end()
})

t.test("a change makes the blocks of its id anew, and no others", async (t) => {
  const { list } = stage(255)
  const before = list.parts([], () => undefined)
  list.set(70, item(70, 2))
  const after = list.parts([], () => undefined)
  t.same(
    after.map((part, n) => part === before[n]),
    [true, false, true, true],
  )
  t.match(textOf(after), /"id":70,"version":2/)
  t.match(textOf(before), /"id":70,"version":1/, "what was taken before stays as it was")
  const known = list.item(70)
  if (known === undefined) return t.fail("no item")
  list.set(70, known)
  t.equal(list.parts([], () => undefined)[1], after[1])
  t.end()
})

t.test("lists whose items are the same objects share their blocks, others do not", (t) => {
  const { list, items, make } = stage(128)
  const first = list.parts([], () => undefined)
  const other = make()
  for (const [n, each] of items.entries()) other.set(n + 1, n === 100 ? item(n + 1) : each)
  const second = other.parts([], () => undefined)
  t.equal(second[0], first[0])
  t.not(second[1], first[1], "a text that is equal by chance is another item")
  t.equal(textOf(second), textOf(first))
  t.end()
})

t.test("bytes are counted once they are made", async (t) => {
  const { list } = stage(63)
  t.equal(list.kept, 0)
  const parts = list.parts([], () => undefined)
  t.equal(list.kept, 0)
  await piecesOf(parts)
  t.equal(list.kept, Buffer.byteLength(textOf(parts)) - '{"list":[]}'.length)
})
