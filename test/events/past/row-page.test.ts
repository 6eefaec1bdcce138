/** Rows in memory: pages, and the ring that is made of them. */
import t from "tap"
import { rowAudience } from "../../../src/events/event.ts"
import { listsOf, RowPage } from "../../../src/events/past/row-page.ts"
import { RowRing } from "../../../src/events/past/row-ring.ts"
import { ChannelId, UserId } from "../../../src/ids.ts"
import { row } from "./rows.ts"

const positions = (rows: ReadonlyArray<{ readonly position: number }>) => rows.map(({ position }) => position)

t.test("whoever reads a page gets the rows of their lists, in order and once", async (t) => {
  const page = new RowPage(10)
  const channel = (id: number) => ({
    kind: "subscribers" as const,
    channel: ChannelId(id),
    was: { isPrivate: false, isWebPublic: false, historyShared: true },
  })
  page.push(row(11, rowAudience({ kind: "realm" })))
  page.push(row(12, rowAudience(channel(5))))
  page.push(row(13, rowAudience({ ...channel(6), also: [UserId(7)] })))
  page.push(row(14, rowAudience({ kind: "users", users: [UserId(7), UserId(8)], also: [UserId(7)] })))
  page.push(row(15, rowAudience({ kind: "servers" })))
  page.push(row(16, rowAudience({ kind: "members" })))
  t.same([page.after, page.through, page.length, page.newest?.position], [10, 16, 6, 16])
  const of = (after: number, user: number, channels: ReadonlyArray<number> | null) =>
    positions(page.select(after, listsOf(UserId(user), channels?.map((id) => ChannelId(id)) ?? null)))
  t.same(of(10, 7, [6]), [11, 13, 14, 16])
  t.same(of(10, 7, []), [11, 13, 14, 16])
  t.same(of(10, 9, [5]), [11, 12, 16])
  t.same(of(13, 8, [5, 6]), [14, 16])
  t.same(of(12, 9, null), [13, 14, 15, 16])
  t.same(of(16, 9, null), [])
  t.equal(page.at(12)?.position, 12)
  t.same([page.at(10), page.at(17)], [undefined, undefined])
})

t.test("a ring keeps the newest rows that fit, and finds each by its position", async (t) => {
  const ring = new RowRing(100 * 1000)
  t.same([ring.oldest, ring.newest, ring.pageOf(1)], [undefined, undefined, undefined])
  for (let position = 3; position <= 1002; position++) ring.push(row(position, rowAudience({ kind: "realm" }), 1000))
  t.ok(ring.bytes <= 100 * 1000, `${ring.bytes} bytes`)
  const oldest = ring.oldest ?? 0
  t.ok(oldest >= 903 && oldest <= 910, `from ${oldest} on`)
  for (let position = oldest; position <= 1002; position++) {
    t.equal(ring.at(position)?.position, position)
    const page = ring.pageOf(position)
    t.ok(page !== undefined && page.after < position && position <= page.through)
  }
  t.same([ring.pageOf(oldest - 1), ring.pageOf(1003), ring.at(2)], [undefined, undefined, undefined])
})

t.test("encoded bytes count, of rows that it holds", async (t) => {
  const ring = new RowRing(100 * 1000)
  const first = row(1, rowAudience({ kind: "realm" }), 1000)
  ring.push(first)
  t.ok(ring.grew(first, 500))
  t.equal(ring.bytes, 1500)
  t.notOk(ring.grew(row(1, rowAudience({ kind: "realm" }), 1000), 500), "another row at the same position")
  t.notOk(ring.grew(row(2, rowAudience({ kind: "realm" }), 1000), 500))
  t.equal(ring.bytes, 1500)
  ring.grew(first, 200_000)
  t.same([ring.oldest, ring.bytes], [1, 201_500], "the newest row stays, however large")
  ring.push(row(2, rowAudience({ kind: "realm" }), 1000))
  t.same([ring.oldest, ring.bytes], [2, 1000])
})

t.test("what the log has pruned is forgotten, but not the newest row", async (t) => {
  const ring = new RowRing(1_000_000_000)
  for (let position = 1; position <= 1000; position++) ring.push(row(position, rowAudience({ kind: "realm" }), 1000))
  ring.prune(500)
  t.same([ring.oldest, ring.bytes], [257, 744_000], "page by page")
  ring.prune(5000)
  t.ok((ring.oldest ?? 0) > 500 && ring.newest?.position === 1000)
})
