/** How changes of channels look on the wire. */
import type { Rendering, WireEvent } from "../../../events/encode.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Json, JsonObject } from "../../../json.ts"
import { shownKind } from "../../ground/kinds/event-kind.ts"
import { activeAtRow, none, one } from "../../ground/kinds/event-shape.ts"
import { archivedChannel, type StreamPayload, streamRows } from "../../ground/kinds/stream-row.ts"
import { shownSetting } from "../../ground/permissions/group-settings.ts"
import type { ChannelChange } from "../../ground/realm/records.ts"
import type { IsActive } from "../../ground/realm/rules.ts"
import { postPolicy, wireChannel } from "../../ground/wire/wire-channel.ts"
import { streamEvents } from "./channel-event-schema.ts"

type Update = Extract<StreamPayload, { readonly op: "update" }>

/** A change as clients read it: the property, its value, and the fields that accompany it. */
const propertiesOf = (set: ChannelChange, isActive: IsActive): ReadonlyArray<JsonObject> => {
  const { rendered_description, is_web_public, history_shared, permissions, ...rest } = set
  if (rest.description !== undefined)
    return [{ property: "description", value: rest.description, rendered_description: rendered_description ?? "" }]
  if (rest.is_private !== undefined)
    return [
      {
        property: "invite_only",
        value: rest.is_private,
        is_web_public: is_web_public ?? false,
        history_public_to_subscribers: history_shared ?? true,
      },
    ]
  if (permissions !== undefined)
    return Object.entries(permissions).flatMap(([name, setting]) => {
      const update = { property: name, value: shownSetting(setting, isActive) }
      const policy = postPolicy(setting)
      if (name !== "can_send_message_group") return [update]
      // The older forms of the permission to post, for older clients.
      return [
        update,
        { property: "stream_post_policy", value: policy },
        { property: "is_announcement_only", value: policy === 2 },
      ]
    })
  const names: Readonly<Record<string, string>> = {
    retention_days: "message_retention_days",
    weekly_traffic: "stream_weekly_traffic",
  }
  return Object.entries<Json | undefined>(rest).flatMap(([name, value]) =>
    value === undefined ? [] : [{ property: names[name] ?? name, value }],
  )
}

const wireUpdate = (payload: Update, isActive: IsActive): ReadonlyArray<WireEvent> => {
  const common = { type: "stream", op: "update", stream_id: payload.channel_id, name: payload.name }
  const properties =
    "property" in payload ? [{ property: payload.property, value: payload.value }] : propertiesOf(payload.set, isActive)
  return properties.map((property, n) => ({ n, event: { ...common, ...property } }))
}

/**
 * Those of the deleted channels that the client knew: without `archived_channels` the archived ones were gone before.
 */
const knownOf = (
  { channel_ids, archived_ids = [] }: Extract<StreamPayload, { readonly op: "delete" }>,
  { archivedChannels }: Rendering,
): ReadonlyArray<ChannelId> => (archivedChannels ? channel_ids : channel_ids.filter((id) => !archived_ids.includes(id)))

const gone = (ids: ReadonlyArray<ChannelId>): ReadonlyArray<WireEvent> =>
  ids.length === 0
    ? none
    : one({ type: "stream", op: "delete", streams: ids.map((id) => ({ stream_id: id })), stream_ids: ids })

/** For clients without `archived_channels` archiving deletes a channel, and unarchiving creates it. */
const wireArchiving = (
  payload: Extract<StreamPayload, { readonly op: "archive" | "unarchive" }>,
  { archivedChannels }: Rendering,
  isActive: IsActive,
): ReadonlyArray<WireEvent> => {
  const { id, name } = payload.op === "archive" ? archivedChannel(payload) : payload.channel
  if (archivedChannels)
    return one({
      type: "stream",
      op: "update",
      stream_id: id,
      name,
      property: "is_archived",
      value: payload.op === "archive",
    })
  if (payload.op === "archive") return gone([id])
  const stream = wireChannel(payload.channel, payload.subscriber_count, isActive)
  return one({ type: "stream", op: "create", streams: [stream] })
}

const wire = (payload: StreamPayload, rendering: Rendering, isActive: IsActive): ReadonlyArray<WireEvent> => {
  switch (payload.op) {
    case "create": {
      if (payload.channel.is_archived && !rendering.archivedChannels) return none
      const stream = wireChannel(payload.channel, payload.subscriber_count, isActive)
      return one({ type: "stream", op: "create", streams: [stream] })
    }
    case "update":
      return "set" in payload && payload.is_archived === true && !rendering.archivedChannels
        ? none
        : wireUpdate(payload, isActive)
    case "archive":
    case "unarchive":
      return wireArchiving(payload, rendering, isActive)
    case "delete":
      return gone(knownOf(payload, rendering))
  }
}

export const streamKind = shownKind(streamRows, {
  events: streamEvents,
  sections: ["stream", "subscription"],
  look: ({ activeAt }, read) => ({
    personal: false,
    variant: (_body, { archivedChannels }) => String(archivedChannels),
    wire: (body, rendering) => wire(read(body.payload), rendering, activeAtRow(activeAt, body)),
  }),
})
