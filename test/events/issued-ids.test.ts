/** Ids of events that are not stored: above those of the newest row, and above what a client brings from another process. */
import t from "tap"
import { idSpan, wireId } from "../../src/events/event.ts"
import { IssuedIds } from "../../src/events/issued-ids.ts"
import { row } from "./past/rows.ts"

const atRow = (position: number) => {
  const ids = new IssuedIds({ position: 1, width: 0 })
  ids.pass(row(position, { kind: "servers" }))
  return ids
}

t.test("what a client brings is passed over", async (t) => {
  const ids = atRow(5)
  t.equal(ids.next, wireId(5, 1))
  ids.raise(wireId(5, 7), false)
  t.equal(ids.next, wireId(5, 8))
  ids.raise(wireId(5, 3), false)
  ids.raise(wireId(4, 30), false)
  ids.raise(wireId(6, 30), false)
  t.equal(ids.next, wireId(5, 8), "by what is lower, or of another row, nothing changes")
})

t.test("an ephemeral that is being offered keeps its id, and the next row begins anew", async (t) => {
  const ids = atRow(5)
  ids.raise(wireId(5, 7), true)
  t.equal(ids.next, wireId(5, 1))
  ids.spend()
  t.equal(ids.next, wireId(5, 8))
  ids.raise(wireId(5, idSpan - 1), true)
  ids.spend()
  t.equal(ids.maySpend, false, "none are left above it until there is a row")
  ids.pass(row(6, { kind: "servers" }))
  t.equal(ids.next, wireId(6, 1))
})
