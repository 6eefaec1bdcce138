/** The rows about permissions that name somebody who leaves: a few, however many channels they are of. */
import t from "tap"
import { streamRows } from "../../../../src/chat/ground/kinds/stream-row.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import { namingRows } from "../../../../src/chat/people/user-groups/membership-rows.ts"
import { deactivationSteps } from "../../../../src/chat/people/users/deactivation-steps.ts"
import { idSpan } from "../../../../src/events/event.ts"
import { UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { channel, makeRealm, people } from "../../../kit/hand-made-realm.ts"

const plain: (text: string) => JsonObject = JSON.parse

t.test("permissions of many channels are told by few rows, and each once", async (t) => {
  const realm = makeRealm()
  const { permissions } = channel(1, "as always")
  for (let id = 100; id < 1300; id++) {
    const posts = id % 3 === 0 ? { can_send_message_group: permissions.can_administer_channel_group } : {}
    const is_private = id % 2 === 0
    realm.setChannel(channel(id, `channel ${id}`, { is_private, permissions: { ...permissions, ...posts } }))
  }
  const rows = namingRows(withChangedRules(realm, { isActive: (id) => id !== people.iago.id }), people.iago).filter(
    ({ type }) => type === "stream",
  )
  const told: Array<string> = []
  for (const { payload, width, table, changesRules } of rows) {
    t.same([table, changesRules], [null, false])
    const read = streamRows.read(plain(JSON.stringify(payload)))
    if (read.op !== "permissions") throw new Error(`a row ${read.op}`)
    const events = read.changes.flatMap(({ permission, channels }) =>
      channels.flatMap(([id]) => (permission === "can_send_message_group" ? [id, id, id] : [id])),
    )
    t.equal(width, events.length, "an id for each event")
    t.ok(width < idSpan)
    t.same(
      new Set(read.places.flatMap(({ channel_ids }) => channel_ids)),
      new Set(events),
      "who sees a channel is said of each",
    )
    t.ok(read.changes.length <= 2, "equal values stand once in a row")
    for (const { permission, channels } of read.changes) for (const [id] of channels) told.push(`${id} ${permission}`)
  }
  const expected = [...realm.channels.values()].flatMap((each) =>
    Object.entries(each.permissions).flatMap(([name, value]) =>
      typeof value === "object" && value.direct_members.includes(people.iago.id) ? [`${each.id} ${name}`] : [],
    ),
  )
  t.same([...told].sort(), [...expected].sort())
  t.ok(rows.length < expected.length / 400, `${rows.length} rows for ${expected.length} permissions`)
})

t.test("permissions that name very many others are not told, but the queues of all others end", async (t) => {
  const realm = makeRealm()
  const { permissions } = channel(1, "as always")
  for (let id = 100; id < 300; id++) {
    const direct_members = [people.hamlet.id, ...Array.from({ length: 999 }, (_, n) => UserId(id * 1000 + n))]
    const can_send_message_group = { direct_members, direct_subgroups: [] }
    realm.setChannel(channel(id, `channel ${id}`, { permissions: { ...permissions, can_send_message_group } }))
  }
  const steps = deactivationSteps(realm, [people.hamlet])
  const ends = steps.flatMap((step) => ("type" in step && step.type === "queue_end" ? [step.payload] : []))
  const others = Object.values(people).filter(({ id }) => id !== people.hamlet.id && realm.isActive(id))
  t.same(ends, [{ user_ids: [people.hamlet.id] }, { user_ids: others.map(({ id }) => id) }])
  t.ok(JSON.stringify(steps).length < 10_000, "nothing of it is long")
  t.same(
    namingRows(withChangedRules(realm, {}), people.hamlet).map(({ type, payload }) => [type, payload]),
    [["queue_end", ends[1]]],
  )
})
