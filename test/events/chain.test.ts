/** Lists of events that queues share: the same events after the same list are the same object, and its bytes are made once. */
import t from "tap"
import { Chain, type Item } from "../../src/events/chain.ts"
import { WireId } from "../../src/ids.ts"

const item = (id: number, text = `é${id}`): Item => ({
  id: WireId(id),
  bytes: Buffer.from(JSON.stringify({ text, id })),
  stored: true,
})
const listOf = (root: Chain, items: ReadonlyArray<Item>): Chain => items.reduce((list, each) => list.append(each), root)

t.test("what a socket and a poll get is the JSON of all events", async (t) => {
  for (const count of [0, 1, 2, 50]) {
    const items = Array.from({ length: count }, (_, n) => item(n))
    const list = listOf(Chain.root(), items)
    const events = items.map(({ bytes }): unknown => JSON.parse(bytes.toString()))
    t.same(JSON.parse(list.frame().toString()), events)
    t.same(JSON.parse(list.body().toString()), { result: "success", msg: "", events })
    t.equal(list.frame(), list.frame(), "made once")
    t.equal(list.body(), list.body())
    t.same([list.count, list.lastId], [count, items.at(-1)?.id])
    t.same(list.items(), items)
  }
})

t.test("the same events after the same list are the same object, of several continuations too", async (t) => {
  const root = Chain.root()
  const [a, b, c] = [item(1), item(2), item(3)]
  const lists = [[a, b], [a, c], [b], [a, b, c]].map((items) => listOf(root, items))
  for (const [n, items] of [[a, b], [a, c], [b], [a, b, c]].entries()) t.equal(listOf(root, items), lists[n])
  t.not(listOf(Chain.root(), [a, b]), lists[0], "of another root they are not")
  t.not(root.append(item(1)), root.append(a), "nor of another item with the same id")
})

t.test("many continuations are all right, though the oldest are forgotten", async (t) => {
  const root = Chain.root()
  const items = Array.from({ length: 40 }, (_, n) => item(n))
  const lists = items.map((each) => root.append(each))
  for (const [n, each] of items.entries()) if (n >= 24) t.equal(root.append(each), lists[n])
  for (const [n, list] of lists.entries()) t.same(list.items(), [items[n]])
})

t.test("the events after an id make a list from another root", async (t) => {
  const items = Array.from({ length: 5 }, (_, n) => item(n))
  const list = listOf(Chain.root(), items)
  const root = Chain.root()
  t.same(list.after(WireId(2), root).items(), items.slice(3))
  t.equal(list.after(WireId(4), root), root)
  t.equal(list.after(WireId(2), root), listOf(root, items.slice(3)))
})
