/** A row about permissions of many channels: whoever asks for little of it is made little. */
import t from "tap"
import { streamKind } from "../../../../src/chat/channels/channels/channel-event.ts"
import { streamRows } from "../../../../src/chat/ground/kinds/stream-row.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import { type ChannelRecord, channelPermissions } from "../../../../src/chat/ground/realm/records.ts"
import { namingRows } from "../../../../src/chat/people/user-groups/membership-rows.ts"
import { noCapabilities } from "../../../../src/events/client-capabilities.ts"
import { type EventReceiver, JsonText } from "../../../../src/events/encode.ts"
import type { LogRow } from "../../../../src/events/event.ts"
import { ChannelId, Position, type UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { channel, makeRealm, now, people } from "../../../kit/hand-made-realm.ts"

const plain: (text: string) => JsonObject = JSON.parse

const makeScene = () => {
  const realm = makeRealm()
  const { permissions } = channel(1, "as always")
  const setting = { direct_members: [people.hamlet.id, people.yorick.id], direct_subgroups: [] }
  const channels: Array<ChannelRecord> = []
  for (let id = 100; id < 200; id++) {
    const held = { ...permissions, can_administer_channel_group: setting, can_send_message_group: setting }
    const made = channel(id, `channel ${id}`, { is_private: true, permissions: held })
    realm.setChannel(made)
    channels.push(made)
  }
  for (const id of [100, 150]) realm.subscriptions.add(ChannelId(id), people.ophelia.id, { opened: 10, closed: null })
  const [made, ...rest] = namingRows(withChangedRules(realm, {}), people.hamlet).filter(({ type }) => type === "stream")
  if (made === undefined || rest.length > 0) throw new Error("one row")
  const row: LogRow = {
    type: made.type,
    payload: plain(JSON.stringify(made.payload)),
    audience: { kind: "realm" },
    width: made.width,
    position: Position(30),
    origin: null,
    at: now,
    content: null,
    bytes: 0,
  }
  let asked = 0
  const { id, host, usesGravatar, createdAt, subscriptions, settings, users, roles } = realm
  const wireForm = streamKind.wireForm({
    ...{ id, host, usesGravatar, createdAt, subscriptions, settings, users, roles },
    memberAt: (...args) => realm.memberAt(...args),
    administratorAt: (...args) => realm.administratorAt(...args),
    memberThroughout: (...args) => realm.memberThroughout(...args),
    part: (part) => realm.part(part),
    activeAt: (...args) => {
      asked++
      return realm.activeAt(...args)
    },
  })
  if (!wireForm.personal) throw new Error("it depends on the user")
  const receiver = (user: UserId): EventReceiver => ({
    user,
    rendering: { ...noCapabilities, archivedChannels: true, rendered: true, gravatar: false, slimPresence: false },
    viaPublicStreams: false,
  })
  const shownTo = (user: UserId) => wireForm.wire(row, receiver(user))
  return { wireForm, row, receiver, shownTo, asked: () => asked, channels }
}

t.test("what a receiver does not see is not made, and what several see once", async (t) => {
  const { wireForm, row, receiver, shownTo, asked, channels } = makeScene()
  t.equal(wireForm.weight?.(row), 4 * channels.length, "an event of one permission, three of the other")
  t.not(wireForm.variant(row, receiver(people.polonius.id)), wireForm.variant(row, receiver(people.iago.id)))
  t.same(shownTo(people.polonius.id), [])
  t.equal(asked(), 0, "no value has been looked at for whoever sees none of the channels")
  const some = shownTo(people.ophelia.id)
  t.equal(some.length, 8)
  const once = asked()
  t.ok(once > 0 && once <= 8, `${once}: the values are made for a change, not for a channel`)
  const all = shownTo(people.iago.id)
  t.equal(asked(), once, "and not again for another receiver")
  t.equal(all.length, 4 * channels.length)
  for (const { n, event } of some) t.equal(all[n]?.event, event, "who sees the same event shares its bytes")
})

t.test("each event says its channel and its property", async (t) => {
  const { row, shownTo, channels } = makeScene()
  const all = shownTo(people.iago.id)
  t.same(
    all.map(({ n }) => n),
    all.map((_, n) => n),
  )
  t.equal(all.length, row.width, "ids below the width of the row")
  const events = all.map(({ event }) => (event instanceof JsonText ? plain(event.text) : event))
  const read = streamRows.read(row.payload)
  if (read.op !== "permissions") throw new Error(`a row ${read.op}`)
  const value = people.hamlet.id
  const properties = read.changes.flatMap(({ permission }) =>
    channels.flatMap(({ id, name }) => {
      const common = { type: "stream", op: "update", stream_id: id, name }
      const setting = { direct_members: [value], direct_subgroups: [] }
      return [
        { ...common, property: permission, value: setting },
        ...(permission === "can_send_message_group"
          ? [
              { ...common, property: "stream_post_policy", value: 1 },
              { ...common, property: "is_announcement_only", value: false },
            ]
          : []),
      ]
    }),
  )
  t.same(events, properties)
  t.ok(read.changes.every(({ permission }) => channelPermissions.includes(permission)))
})
