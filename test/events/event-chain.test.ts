/** Lists of events that queues share: the same events after the same list are the same object, and its bytes are made once. */
import { Unpackr } from "msgpackr/unpack"
import t from "tap"
import { type EncodedEvent, encodedEventOf } from "../../src/events/bytes/encoded-event.ts"
import { EventChain, ManyEvents } from "../../src/events/event-chain.ts"
import { WireId } from "../../src/ids.ts"

const item = (id: number, text = `é${id}`): EncodedEvent =>
  encodedEventOf(WireId(id), Buffer.from(JSON.stringify({ text, id })), true)
const listOf = (root: EventChain, items: ReadonlyArray<EncodedEvent>): EventChain =>
  items.reduce((list, each) => list.append(each), root)

t.test(
  "a binary frame is an array of the same events; integers beyond 32 bits are integers wherever they stand",
  async (t) => {
    const large = 2 ** 40
    const event = (id: number) => ({ id, text: "é", in: [{ at: large + id }, -1, 0.5, null, true] })
    const unpackr = new Unpackr({ useRecords: false, int64AsType: "number" })
    const exact = new Unpackr({ useRecords: false })
    for (const count of [0, 1, 15, 16, 17, 1000]) {
      const events = Array.from({ length: count }, (_, n) => event(large + n))
      const list = listOf(
        EventChain.root(),
        events.map((each) => encodedEventOf(WireId(each.id), Buffer.from(JSON.stringify(each)), true)),
      )
      t.same(unpackr.unpack(list.packedFrame()), events)
      t.equal(list.packedFrame(), list.packedFrame(), "made once")
    }
    const [first]: ReadonlyArray<{ readonly id: unknown }> = exact.unpack(
      EventChain.of([encodedEventOf(WireId(1), Buffer.from(`{"id":${large}}`), true)]).packedFrame(),
    )
    t.equal(first?.id, BigInt(large))
  },
)

t.test("what a socket and a poll get is the JSON of all events", async (t) => {
  for (const count of [0, 1, 2, 50]) {
    const items = Array.from({ length: count }, (_, n) => item(n))
    const list = listOf(EventChain.root(), items)
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
  const root = EventChain.root()
  const [a, b, c] = [item(1), item(2), item(3)]
  const lists = [[a, b], [a, c], [b], [a, b, c]].map((items) => listOf(root, items))
  for (const [n, items] of [[a, b], [a, c], [b], [a, b, c]].entries()) t.equal(listOf(root, items), lists[n])
  t.not(listOf(EventChain.root(), [a, b]), lists[0], "of another root they are not")
  t.not(root.append(item(1)), root.append(a), "nor of another item with the same id")
})

t.test("many continuations are all right, though the oldest are forgotten", async (t) => {
  const root = EventChain.root()
  const items = Array.from({ length: 40 }, (_, n) => item(n))
  const lists = items.map((each) => root.append(each))
  for (const [n, each] of items.entries()) if (n >= 24) t.equal(root.append(each), lists[n])
  for (const [n, list] of lists.entries()) t.same(list.items(), [items[n]])
})

t.test("the events after an id make a list from another root", async (t) => {
  const items = Array.from({ length: 5 }, (_, n) => item(n))
  const list = listOf(EventChain.root(), items)
  const root = EventChain.root()
  t.same(list.after(WireId(2), root).items(), items.slice(3))
  t.equal(list.after(WireId(4), root), root)
  t.equal(list.after(WireId(2), root), listOf(root, items.slice(3)))
})

t.test("a list that was made at once is like one that was made event by event", async (t) => {
  for (const [made, appended] of [
    [0, 2],
    [1, 0],
    [3, 0],
    [3, 2],
  ] as const) {
    const items = Array.from({ length: made + appended }, (_, n) => item(n))
    const list = listOf(EventChain.of(items.slice(0, made)), items.slice(made))
    const linked = listOf(EventChain.root(), items)
    t.same(list.items(), items)
    t.same([list.count, list.bytes, list.lastId], [linked.count, linked.bytes, linked.lastId])
    t.same([list.frame(), list.body()], [linked.frame(), linked.body()])
    t.same(list.after(WireId(1), EventChain.root()).items(), items.slice(2))
  }
})

t.test("queues that lack the same events share the list, those that lack others do not", async (t) => {
  const many = new ManyEvents()
  const items = Array.from({ length: 100 }, (_, n) => item(n))
  const list = many.listOf(items)
  t.equal(many.listOf([...items]), list)
  for (const other of [items.slice(1), items.slice(0, -1), items.map((each, n) => (n === 50 ? item(50) : each))])
    t.not(many.listOf(other), list)
  const lists = Array.from({ length: 20 }, (_, n) => many.listOf(items.slice(n)))
  t.equal(many.listOf(items.slice(19)), lists[19], "the last ones are remembered")
  t.not(many.listOf(items), lists[0])
})
