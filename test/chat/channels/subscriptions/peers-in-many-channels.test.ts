/** A row about many channels for many people, each of whom is in a private channel of their own. */
import t from "tap"
import { subscriptionKind } from "../../../../src/chat/channels/subscriptions/subscription-event.ts"
import { peerInAll } from "../../../../src/chat/channels/subscriptions/subscription-steps.ts"
import { peersWidth } from "../../../../src/chat/ground/kinds/subscription-row.ts"
import { roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { withChangedRules } from "../../../../src/chat/ground/realm/realm-rules.ts"
import type { ChannelRecord } from "../../../../src/chat/ground/realm/records.ts"
import { noCapabilities } from "../../../../src/events/client-capabilities.ts"
import { type EventReceiver, makeEncoder } from "../../../../src/events/encode.ts"
import { type LogRow, wireId } from "../../../../src/events/event.ts"
import { ChannelId, Position, UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { channel, makeRealm, now, people, person } from "../../../kit/hand-made-realm.ts"

const plain: (text: string) => JsonObject = JSON.parse
const position = Position(30)

/** Five hundred public channels, as many private ones that moderators know of, and one for each of five hundred people. */
const makeScene = (width?: number) => {
  const realm = makeRealm()
  const channels: Array<ChannelRecord> = []
  const crowd: Array<UserId> = []
  const { permissions } = channel(1, "as always")
  for (let n = 0; n < 500; n++) {
    const id = UserId(1000 + n)
    realm.setUser(person(id, `user ${id}`, roles.moderator))
    realm.roles.add(id, roles.moderator, { opened: 1, closed: null })
    crowd.push(id)
    const known = { ...permissions, can_subscribe_group: systemGroups["role:moderators"] }
    channels.push(
      channel(1000 + n, `public ${n}`),
      channel(2000 + n, `known ${n}`, { is_private: true, permissions: known }),
      channel(3000 + n, `own ${n}`, { is_private: true }),
    )
    realm.subscriptions.add(ChannelId(3000 + n), id, { opened: 10, closed: null })
  }
  for (const each of channels) realm.setChannel(each)
  const [made] = peerInAll("peer_remove", withChangedRules(realm, {}), channels, people.hamlet.id)
  if (made === undefined) throw new Error("no row")
  const row: LogRow = {
    type: made.type,
    payload: plain(JSON.stringify(made.payload)),
    audience: { kind: "realm" },
    width: width ?? made.width,
    position,
    origin: null,
    at: now,
    content: null,
    bytes: 0,
  }
  let grown = 0
  const faults: Array<unknown> = []
  const look = subscriptionKind.wireForm(realm)
  const encoder = makeEncoder(
    () => look,
    (_row, event) => event,
    (_row, bytes) => {
      grown += bytes
    },
    (_body, fault) => faults.push(fault),
  )
  const itemsFor = (user: UserId) => {
    const rendering = {
      ...noCapabilities,
      archivedChannels: true,
      rendered: true,
      gravatar: false,
      slimPresence: false,
    }
    const receiver: EventReceiver = { user, rendering, viaPublicStreams: false }
    return encoder.row(row, receiver, false)
  }
  const heard = (user: UserId) =>
    itemsFor(user).map(({ id, bytes }) => {
      const { stream_ids, ...event } = plain(bytes.toString())
      return { id, event, ids: Array.isArray(stream_ids) ? stream_ids.map(Number) : [] }
    })
  return { row, crowd, itemsFor, heard, grown: () => grown, faults }
}

const range = (from: number) => Array.from({ length: 500 }, (_, n) => from + n)

t.test("what all see is made once, and of each one's own channels as much as there is", async (t) => {
  const { row, crowd, itemsFor, heard, grown, faults } = makeScene()
  t.equal(row.width, peersWidth)
  const [first, second] = [itemsFor(UserId(1000)), itemsFor(UserId(1001))]
  t.equal(first.length, 3)
  t.equal(first[0], second[0], "the same bytes")
  t.equal(first[1], second[1])
  for (const [n, user] of crowd.entries())
    t.same(
      heard(user).map(({ id, ids }) => [id, ids]),
      [
        [wireId(position, 0), range(1000)],
        [wireId(position, 1), range(2000)],
        [wireId(position, 2), [3000 + n]],
      ],
    )
  t.ok(grown() < crowd.length * 200, `${grown()} bytes for ${crowd.length} people`)
  t.same(faults, [])
  const [only, ...rest] = heard(people.hamlet.id)
  t.match(only, {
    id: wireId(position, 0),
    ids: range(1000),
    event: { op: "peer_remove", user_ids: [people.hamlet.id] },
  })
  t.same(rest, [])
  t.same(heard(people.polonius.id), [], "a guest sees none of them")
  t.equal(heard(people.iago.id)[0]?.ids.length, 1500)
})

t.test("a row with an id for one event has one event", async (t) => {
  const { heard } = makeScene(1)
  t.same(
    heard(UserId(1002)).map(({ id, ids }) => [id, ids]),
    [[wireId(position, 0), [...range(1000), ...range(2000), 3002]]],
  )
  t.same(heard(people.polonius.id), [])
})
