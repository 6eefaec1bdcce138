/** Rows that older programs have written stay in the log: after an update, queues must still show them to clients. */
import t from "tap"
import type { ProjectionPart } from "../../../../src/chat/ground/realm/projection-part.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import { RoleSpans } from "../../../../src/chat/ground/realm/role-spans.ts"
import { SubscriptionSpans } from "../../../../src/chat/ground/realm/subscription-spans.ts"
import { forEachCapability } from "../../../../src/events/client-capabilities.ts"
import { type EventReceiver, wireOf } from "../../../../src/events/encode.ts"
import type { LogRow } from "../../../../src/events/event.ts"
import { Position, RealmId, UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { catalog } from "../../../kit/catalog.ts"
import { channel } from "../../../kit/hand-made-realm.ts"

const past = {
  id: RealmId(1),
  host: "chat.example.org",
  usesGravatar: false,
  createdAt: 0,
  settings: readRealmSettings({}),
  users: new Map(),
  roles: new RoleSpans(),
  subscriptions: new SubscriptionSpans(),
  activeAt: () => true,
  memberAt: () => true,
  memberThroughout: () => true,
  administratorAt: () => true,
  part: <T>(part: ProjectionPart<T>): T => part.empty().value,
}

const receiver = (user: number, archivedChannels: boolean): EventReceiver => ({
  user: UserId(user),
  viaPublicStreams: false,
  rendering: {
    rendered: true,
    gravatar: true,
    slimPresence: false,
    ...forEachCapability(() => true),
    archivedChannels,
  },
})

const eventsOf = (type: string, payload: JsonObject, archivedChannels = true, width = 1) => {
  const row: LogRow = {
    position: Position(7),
    type,
    payload,
    audience: { kind: "realm" },
    width,
    origin: null,
    at: 0,
    content: null,
    bytes: 0,
  }
  const kind = catalog.kinds.get(type)
  if (kind === undefined) throw new Error(`there is no kind ${type}`)
  return wireOf(kind.wireForm(past), row, receiver(2, archivedChannels)).map(({ event }) => event)
}

t.test("an archived channel, from when the row carried its whole record", async (t) => {
  const payload = { op: "archive", channel: { ...channel(5, "attic"), is_archived: true }, subscriber_count: 0 }
  t.match(eventsOf("stream", payload), [
    { type: "stream", op: "update", stream_id: 5, name: "attic", property: "is_archived", value: true },
  ])
  t.match(eventsOf("stream", payload, false), [{ type: "stream", op: "delete", stream_ids: [5] }])
})

t.test("rows that only inform, from before they had the mark `told`", async (t) => {
  t.match(eventsOf("user_group", { op: "add_members", group_id: 9, user_ids: [2], stays: true }), [
    { type: "user_group", op: "add_members", group_id: 9, user_ids: [2] },
  ])
  t.match(eventsOf("default_streams", { channel_ids: [1, 2], told: true }), [
    { type: "default_streams", default_streams: [1, 2] },
  ])
  t.match(eventsOf("realm_user", { op: "update", user_id: 3, delivery_email: null }), [
    { type: "realm_user", op: "update", person: { user_id: 3, delivery_email: null } },
  ])
  const settings = { color: "#c2c2c2", is_muted: false, pin_to_top: false, notify: {} }
  const returned = { op: "add", channel: { ...channel(5, "attic") }, added: [{ user_id: 2, settings }], returned: true }
  t.same(eventsOf("subscription", returned), [], "who knows archived channels had never lost it")
})

t.test("a row about a role that ended queues, from before there was a row for that", async (t) => {
  const payload = { op: "update", user_id: 3, role: 600, ends_queues: true }
  t.match(eventsOf("realm_user", payload), [{ type: "realm_user", op: "update", person: { user_id: 3, role: 600 } }])
})

t.test("records without fields that were added later", async (t) => {
  const { folder_id: _folder, is_recently_active: _active, weekly_traffic: _traffic, ...record } = channel(5, "attic")
  t.match(eventsOf("stream", { op: "create", channel: record, subscriber_count: 0 }), [
    {
      op: "create",
      streams: [{ stream_id: 5, folder_id: null, is_recently_active: true, stream_weekly_traffic: null }],
    },
  ])
})
