/** Channels, folders and subscriptions on the wire, and the events about them (contract 3.1.2, 3.1.3, 3.1.5, 5.1). */
import * as Schema from "effect/Schema"
import { Colour, Count, GroupSetting, Id, Ids, type Keys, Seconds, SortedIds } from "./wire-schemas-values.ts"

const Retention = Schema.NullOr(Schema.Union([Id, Schema.Literal(-1)]))
const TopicsPolicy = Schema.Literals(["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"])
const PostPolicy = Schema.Literals([1, 2, 3, 4])

const permissions = {
  can_add_subscribers_group: GroupSetting,
  can_administer_channel_group: GroupSetting,
  can_delete_any_message_group: GroupSetting,
  can_delete_own_message_group: GroupSetting,
  can_move_messages_out_of_channel_group: GroupSetting,
  can_move_messages_within_channel_group: GroupSetting,
  can_remove_subscribers_group: GroupSetting,
  can_resolve_topics_group: GroupSetting,
  can_send_message_group: GroupSetting,
  can_subscribe_group: GroupSetting,
}

const channel = {
  stream_id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  rendered_description: Schema.String,
  date_created: Seconds,
  creator_id: Schema.NullOr(Id),
  invite_only: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_public_to_subscribers: Schema.Boolean,
  is_archived: Schema.Boolean,
  is_recently_active: Schema.Boolean,
  first_message_id: Schema.NullOr(Id),
  message_retention_days: Retention,
  topics_policy: TopicsPolicy,
  folder_id: Schema.NullOr(Id),
  subscriber_count: Count,
  stream_weekly_traffic: Schema.NullOr(Count),
  stream_post_policy: PostPolicy,
  is_announcement_only: Schema.Boolean,
  ...permissions,
}

interface Privacy {
  readonly invite_only: boolean
  readonly is_web_public: boolean
  readonly history_public_to_subscribers: boolean
}
/** Four kinds of channels: public, web-public, private with and without a shared history. */
const isKind = ({ invite_only, is_web_public, history_public_to_subscribers }: Privacy): boolean =>
  invite_only ? !is_web_public : history_public_to_subscribers
const kind = Schema.makeFilter(isKind, { expected: "a kind of channel that there is" })

export const Channel = Schema.Struct(channel).check(kind)
/** In GET /streams. */
export const StreamRecord = Schema.Struct({ ...channel, is_default: Schema.optionalKey(Schema.Boolean) }).check(kind)

const subscribers = {
  subscribers: Schema.optionalKey(SortedIds),
  partial_subscribers: Schema.optionalKey(SortedIds),
}
/** One that the requester has never subscribed to. */
export const NeverSubscribed = Schema.Struct({ ...channel, ...subscribers }).check(kind)

/** Null: inherited. */
const Notify = Schema.NullOr(Schema.Boolean)
const subscription = {
  ...channel,
  color: Colour,
  is_muted: Schema.Boolean,
  in_home_view: Schema.Boolean,
  pin_to_top: Schema.Boolean,
  desktop_notifications: Notify,
  audible_notifications: Notify,
  push_notifications: Notify,
  email_notifications: Notify,
  wildcard_mentions_notify: Notify,
}
const muted = Schema.makeFilter(
  ({ is_muted, in_home_view }: { readonly is_muted: boolean; readonly in_home_view: boolean }) =>
    is_muted !== in_home_view,
  { expected: "in_home_view to be the opposite of is_muted" },
)
export const Subscription = Schema.Struct({ ...subscription, ...subscribers }).check(muted, kind)

/** Channels that new people may be put into together. */
export const DefaultGroup = Schema.Struct({
  id: Id,
  name: Schema.NonEmptyString,
  description: Schema.String,
  streams: Ids.check(Schema.isUnique()),
})

const folder = { name: Schema.NonEmptyString, description: Schema.String, rendered_description: Schema.String }
export const Folder = Schema.Struct({
  id: Id,
  ...folder,
  order: Count,
  date_created: Schema.NullOr(Seconds),
  creator_id: Schema.NullOr(Id),
  is_archived: Schema.Boolean,
})
/** As they are shown, one below the other. */
export const Folders = Schema.Array(Folder).check(
  Schema.makeFilter(
    (list: ReadonlyArray<{ readonly order: number }>) =>
      list.every(({ order }, n) => n === 0 || order > (list[n - 1]?.order ?? 0)),
    { expected: "folders by their order" },
  ),
)

const streamEvent = { id: Count, type: Schema.Literal("stream") }
const subscriptionEvent = { id: Count, type: Schema.Literal("subscription") }
const peers = <const Op extends string>(op: Op) =>
  Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal(op),
    stream_ids: Ids.check(Schema.isMinLength(1)),
    user_ids: Ids.check(Schema.isMinLength(1)),
  })

/** One form for each property, so that a value of another one's type is none. */
const channelChange = (property: string, value: Keys[string], further: Keys = {}) =>
  Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("update"),
    stream_id: Id,
    name: Schema.NonEmptyString,
    property: Schema.Literal(property),
    value,
    ...further,
  })

const changes: Keys = {
  ...permissions,
  name: Schema.NonEmptyString,
  message_retention_days: Retention,
  topics_policy: TopicsPolicy,
  folder_id: Schema.NullOr(Id),
  is_archived: Schema.Boolean,
  is_recently_active: Schema.Boolean,
  first_message_id: Schema.NullOr(Id),
  stream_weekly_traffic: Schema.NullOr(Count),
  stream_post_policy: PostPolicy,
  is_announcement_only: Schema.Boolean,
}
const channelChanges = [
  ...Object.entries(changes).map(([property, value]) => channelChange(property, value)),
  channelChange("description", Schema.String, { rendered_description: Schema.String }),
  Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("update"),
    stream_id: Id,
    name: Schema.NonEmptyString,
    property: Schema.Literal("invite_only"),
    value: Schema.Boolean,
    is_web_public: Schema.Boolean,
    history_public_to_subscribers: Schema.Boolean,
  }).check(
    Schema.makeFilter((event) => isKind({ ...event, invite_only: event.value }), {
      expected: "a kind of channel that there is",
    }),
  ),
]

const { color, is_muted, in_home_view, pin_to_top } = subscription
const own: Keys = {
  color,
  is_muted,
  in_home_view,
  pin_to_top,
  desktop_notifications: Schema.Boolean,
  audible_notifications: Schema.Boolean,
  push_notifications: Schema.Boolean,
  email_notifications: Schema.Boolean,
  wildcard_mentions_notify: Schema.Boolean,
}
const ownChanges = Object.entries(own).map(([property, value]) =>
  Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal("update"),
    stream_id: Id,
    property: Schema.Literal(property),
    value,
  }),
)

const folderEvent = { id: Count, type: Schema.Literal("channel_folder") }

export const channelEvents = {
  "stream/create": Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("create"),
    streams: Schema.Array(Channel).check(Schema.isMinLength(1)),
  }),
  "stream/update": Schema.Union(channelChanges),
  "stream/delete": Schema.Struct({
    ...streamEvent,
    op: Schema.Literal("delete"),
    streams: Schema.Array(Schema.Struct({ stream_id: Id })).check(Schema.isMinLength(1)),
    stream_ids: Ids,
  }).check(
    Schema.makeFilter(({ streams, stream_ids }) => streams.every(({ stream_id }, n) => stream_id === stream_ids[n]), {
      expected: "both lists to name the same channels",
    }),
  ),
  "subscription/add": Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal("add"),
    subscriptions: Schema.Array(Schema.Struct({ ...subscription, subscribers: SortedIds }).check(muted, kind)),
  }),
  "subscription/remove": Schema.Struct({
    ...subscriptionEvent,
    op: Schema.Literal("remove"),
    subscriptions: Schema.Array(Schema.Struct({ stream_id: Id, name: Schema.NonEmptyString })),
  }),
  "subscription/update": Schema.Union(ownChanges),
  "channel_folder/add": Schema.Struct({ ...folderEvent, op: Schema.Literal("add"), channel_folder: Folder }),
  "channel_folder/update": Schema.Struct({
    ...folderEvent,
    op: Schema.Literal("update"),
    channel_folder_id: Id,
    data: Schema.Union([
      Schema.Struct({ name: folder.name }),
      Schema.Struct({
        name: Schema.optionalKey(folder.name),
        description: folder.description,
        rendered_description: folder.rendered_description,
        is_archived: Schema.optionalKey(Schema.Boolean),
      }),
      Schema.Struct({ name: Schema.optionalKey(folder.name), is_archived: Schema.Boolean }),
    ]),
  }),
  "channel_folder/reorder": Schema.Struct({
    ...folderEvent,
    op: Schema.Literal("reorder"),
    order: Ids.check(Schema.isMinLength(1), Schema.isUnique()),
  }),
  default_stream_groups: Schema.Struct({
    id: Count,
    type: Schema.Literal("default_stream_groups"),
    default_stream_groups: Schema.Array(DefaultGroup),
  }),
  default_streams: Schema.Struct({
    id: Count,
    type: Schema.Literal("default_streams"),
    default_streams: Ids.check(Schema.isUnique()),
  }),
  "subscription/peer_add": peers("peer_add"),
  "subscription/peer_remove": peers("peer_remove"),
}
