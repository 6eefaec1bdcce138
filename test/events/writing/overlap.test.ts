/**
 * Two commits that overlap: what waits is sent when the answer of the one before it comes, before that is followed and
 * answered. What can become of a commit becomes of the second one here.
 */
import t from "tap"
import { type HeldWriter, heldWriter, turns, type Wish } from "./held-writer.ts"

/** A writer with `a` in flight and `b` waiting, or more. */
const twoWaiting = async (
  first: Wish = {},
  second: Wish = {},
): Promise<HeldWriter & { readonly endings: ReadonlyArray<Promise<unknown>> }> => {
  const writer = heldWriter()
  const a = writer.submit("a", first)
  await turns()
  const b = writer.submit("b", second)
  await turns()
  t.same(writer.happened.splice(0), ["sent a"])
  return Object.assign(writer, { endings: [a, b] })
}

t.test("I7: what waits is sent first, then the commit before it is followed and answered", async (t) => {
  const { land, happened, log } = await twoWaiting()
  await land("done")
  t.same(happened.splice(0), ["sent b", "at 1", "a is 1"])
  t.equal(log.held[0]?.judgedAt, 0, "it was judged on the projection before")
  await land("done")
  t.same(happened.splice(0), ["at 2", "b is 2"])
  t.same(log.faults, [])
})

t.test("commits overlap again and again while commands come", async (t) => {
  const { land, happened, log, submit, busy } = await twoWaiting()
  for (const name of ["c", "d", "e"]) {
    await land("done")
    void submit(name)
  }
  await land("done")
  await land("done")
  const order = "sent b, at 1, a is 1, sent c, at 2, b is 2, sent d, at 3, c is 3, sent e, at 4, d is 4, at 5, e is 5"
  t.equal(happened.join(", "), order)
  t.same(log.faults, [])
  t.notOk(busy())
})

t.test("I6: what waits behind a change of rules is judged when that has been followed", async (t) => {
  const { land, happened, log } = await twoWaiting({ changesRules: true })
  await land("done")
  t.same(happened, ["at 1", "sent b", "a is 1"])
  t.equal(log.held[0]?.judgedAt, 1)
  await land("done")
  t.same(log.faults, [])
})

t.test("I6: a commit behind one that changed a rule unforeseen is stale, and judged again", async (t) => {
  const { land, happened, log } = await twoWaiting({ isSecret: true })
  await land("done")
  t.same(happened.splice(0), ["sent b", "at 1", "a is 1"])
  await land("done")
  t.same(happened.splice(0), ["sent b"])
  await land("done")
  t.same(happened, ["at 2", "b is 2"])
  t.same(log.faults, [])
})

t.test("I6: a rule that another process changes between two commits makes the second one stale", async (t) => {
  const { land, happened, log } = await twoWaiting()
  await land("done")
  log.append("elsewhere", true)
  happened.length = 0
  await land("done")
  t.same(happened.splice(0), ["at 2", "sent b"])
  await land("done")
  t.same(happened, ["at 3", "b is 3"])
  t.same(log.faults, [])
})

t.test("rows of another process before a commit are read before anything else is sent", async (t) => {
  const { land, happened, log } = await twoWaiting()
  log.append("elsewhere")
  await land("done")
  t.same(happened.splice(0), ["at 1", "at 2", "sent b", "a is 2"])
  await land("done")
  t.same(happened, ["at 3", "b is 3"])
  t.same(log.faults, [])
})

t.test("rows that were read before a commit's answer came are not missing", async (t) => {
  const { land, happened, log, catchUp } = await twoWaiting()
  await land("done")
  log.append("elsewhere")
  catchUp()
  happened.length = 0
  await land("done")
  t.same(happened, ["at 3", "b is 3"])
  t.same(log.faults, [])
})

t.test("I8: a second commit whose answer is lost is settled, after the first was answered", async (t) => {
  const { land, happened, log, submit } = await twoWaiting()
  void submit("c")
  await land("done")
  await land("lost")
  t.same(happened.splice(0), ["sent b c", "at 1", "a is 1", "at 2", "at 3", "b is 2", "c is 3"])
  t.same(log.faults, [])
})

t.test("I8: behind a commit whose answer was lost nothing is sent until it is settled and read", async (t) => {
  const { land, happened, log } = await twoWaiting()
  await land("lost")
  t.same(happened.splice(0), ["at 1", "sent b", "a is 1"], "the answer had no rows")
  await land("done")
  t.same(happened, ["at 2", "b is 2"])
  t.same(log.faults, [])
})

t.test("I8: while a second commit cannot be settled, what waits gets 503, and the first has its answer", async (t) => {
  const { land, happened, log, submit, endings } = await twoWaiting()
  await land("done")
  void submit("c")
  log.lostSettles = 1
  await land("lost")
  t.same(happened.splice(0), ["sent b", "at 1", "a is 1", "c gets 503"])
  t.same(await Promise.all(endings), [1, 2])
  t.same(
    log.rows.map(({ name }) => name),
    ["a", "b"],
  )
})

t.test("I8: 503 for a second commit that had not arrived, which then never takes effect", async (t) => {
  const { land, happened, log } = await twoWaiting()
  await land("done")
  await land("late")
  t.same(happened, ["sent b", "at 1", "a is 1", "b gets 503"])
  for (const arrive of log.onTheWay) arrive()
  t.equal(log.head, 1)
})

t.test("I8: 503 for a second commit that was never sent, and for what waits behind it", async (t) => {
  const { land, happened, log, submit, busy } = await twoWaiting()
  await land("done")
  void submit("c")
  await land("unsent")
  t.same(happened, ["sent b", "at 1", "a is 1", "b gets 503", "c gets 503"])
  t.equal(log.head, 1)
  t.notOk(busy())
})

t.test("a second commit that is refused is halved, and nothing overlaps with its halves", async (t) => {
  const { land, happened, log, submit } = await twoWaiting({}, { isPoison: true })
  void submit("c")
  void submit("d")
  await land("done")
  void submit("e")
  happened.length = 0
  await land("done")
  t.same(happened.splice(0), ["sent b c"])
  await land("done")
  t.same(happened.splice(0), ["sent b"])
  await land("done")
  t.same(happened.splice(0), ["the database refused a call", "sent c", "b gets 500"])
  void submit("f")
  await land("done")
  t.same(happened.splice(0), ["at 2", "sent d", "c is 2"])
  await land("done")
  t.same(happened.splice(0), ["at 3", "sent e f", "d is 3"])
  await land("done")
  t.same(happened, ["at 4", "at 5", "e is 4", "f is 5"])
  t.same(log.faults, [])
})

t.test("a second commit that throws costs only its own commands", async (t) => {
  const { land, happened, submit, busy } = await twoWaiting()
  await land("done")
  void submit("c")
  await land("broken")
  t.same(happened.splice(0), ["sent b", "at 1", "a is 1", "a commit failed", "sent c", "b gets 500"])
  await land("done")
  t.same(happened, ["at 2", "c is 2"])
  t.notOk(busy())
})

t.test("a second commit that another server forestalls ends this one, and the first has its answer", async (t) => {
  const { land, happened, log, told } = await twoWaiting()
  await land("done")
  log.isForeign = true
  await land("done")
  t.same(happened, ["sent b", "at 1", "a is 1", "b gets 503"])
  t.same(told, ["foreign"])
})

t.test(
  "a log that was put back between two commits is lost, though the second was judged before the first",
  async (t) => {
    // Its rows are newer than that judging.
    const { land, log, told } = await twoWaiting()
    await land("done")
    t.same(told, [])
    log.cutTo(0)
    await land("done")
    t.same(told, ["lost log"])
  },
)

t.test("where the projection cannot follow, both commits end without an answer, and no more is judged", async (t) => {
  const writer = await twoWaiting()
  writer.stuckAt = 1
  await writer.land("done")
  const cannot = "the projection could not follow a commit"
  t.same(writer.happened.splice(0), ["sent b", cannot, "a gets unknown"])
  void writer.submit("c")
  await writer.land("done")
  t.same(writer.happened, [cannot, "b gets unknown", "c gets 503"])
  t.equal(writer.log.head, 2)
})

t.test("I9: a send that is repeated in the commit behind its own gets the first answer", async (t) => {
  const { land, happened, log } = await twoWaiting({ key: "k" }, { key: "k" })
  await land("done")
  await land("done")
  t.same(happened, ["sent b", "at 1", "a is 1", "b is 1"])
  t.equal(log.head, 1)
})
