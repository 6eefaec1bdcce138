/** The Schemas of the events about channels. The events are made in channel-event.ts. */
import * as Schema from "effect/Schema"
import type { WireKeys, WireSchema } from "../../../api/endpoint.ts"
import { Channel, channelFields, channelPermissionFields, isKindOfChannel } from "../../ground/wire/wire-channel.ts"
import { Id, Ids, opEvent } from "../../ground/wire/wire-values.ts"

const named = { stream_id: Id, name: channelFields.name }

/** An event about one property: each property has its own Schema, so that values of another type do not pass. */
const change = (property: string, value: WireSchema, further: WireKeys = {}) =>
  opEvent("stream", "update", { ...named, property: Schema.Literal(property), value, ...further })

const plain: WireKeys = {
  ...channelPermissionFields,
  name: channelFields.name,
  message_retention_days: channelFields.message_retention_days,
  topics_policy: channelFields.topics_policy,
  folder_id: channelFields.folder_id,
  is_archived: channelFields.is_archived,
  is_recently_active: channelFields.is_recently_active,
  first_message_id: channelFields.first_message_id,
  stream_weekly_traffic: channelFields.stream_weekly_traffic,
  stream_post_policy: channelFields.stream_post_policy,
  is_announcement_only: channelFields.is_announcement_only,
}

/** Privacy is one event, because its three fields change together. */
const privacy = opEvent("stream", "update", {
  ...named,
  property: Schema.Literal("invite_only"),
  value: Schema.Boolean,
  is_web_public: Schema.Boolean,
  history_public_to_subscribers: Schema.Boolean,
}).check(
  Schema.makeFilter((event) => isKindOfChannel({ ...event, invite_only: event.value }), {
    expected: "one of the four kinds of channels",
  }),
)

export const streamEvents: WireKeys = {
  create: opEvent("stream", "create", { streams: Schema.Array(Channel).check(Schema.isMinLength(1)) }),
  update: Schema.Union([
    ...Object.entries(plain).map(([property, value]) => change(property, value)),
    change("description", Schema.String, { rendered_description: Schema.String }),
    privacy,
  ]),
  delete: opEvent("stream", "delete", {
    streams: Schema.Array(Schema.Struct({ stream_id: Id })).check(Schema.isMinLength(1)),
    stream_ids: Ids,
  }).check(
    Schema.makeFilter(({ streams, stream_ids }) => streams.every(({ stream_id }, n) => stream_id === stream_ids[n]), {
      expected: "both lists to name the same channels",
    }),
  ),
}
