/** The wire form of changes of channels. */
import {
  type ClientRendering,
  type EventReceiver,
  type EventType,
  JsonText,
  type WireEvent,
} from "../../../events/encode.ts"
import { type EventBody, emptyUserSet } from "../../../events/event.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Json, JsonObject } from "../../../json.ts"
import { type RealmHistory, wireKind } from "../../ground/kinds/event-kind.ts"
import {
  activeAtRow,
  builtOnce,
  cachedPerEvent,
  noEvents,
  oneEvent,
  requireStoredRow,
} from "../../ground/kinds/event-kind-helpers.ts"
import {
  archivedChannel,
  changeWidth,
  type PermissionChange,
  type StreamPayload,
  streamRows,
} from "../../ground/kinds/stream-row.ts"
import { VisibleChannels } from "../../ground/kinds/visibility/visible-channels.ts"
import { shownSetting } from "../../ground/permissions/permission-values.ts"
import type { IsActive } from "../../ground/realm/realm-rules.ts"
import type { ChannelChange } from "../../ground/realm/records.ts"
import { postPolicy, wireChannel } from "../../ground/wire/wire-channel.ts"
import { streamEvents } from "./channel-event-schema.ts"

type ChannelUpdate = Extract<StreamPayload, { readonly op: "update" }>
type FirstMessage = Extract<StreamPayload, { readonly property: unknown }>
type Permissions = Extract<StreamPayload, { readonly op: "permissions" }>
type OfOneChannel = Exclude<StreamPayload, Permissions>

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

/** What a change is made of, but for the channel's own fields. */
type ChangedChannel = Pick<ChannelUpdate, "channel_id" | "name"> &
  ({ readonly set: ChannelChange } | Pick<FirstMessage, "property" | "value">)

const wireUpdate = (payload: ChangedChannel, isActive: IsActive): ReadonlyArray<WireEvent> => {
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
  { archivedChannels }: ClientRendering,
): ReadonlyArray<ChannelId> => (archivedChannels ? channel_ids : channel_ids.filter((id) => !archived_ids.includes(id)))

const gone = (ids: ReadonlyArray<ChannelId>): ReadonlyArray<WireEvent> =>
  ids.length === 0
    ? noEvents
    : oneEvent({ type: "stream", op: "delete", streams: ids.map((id) => ({ stream_id: id })), stream_ids: ids })

/** For clients without `archived_channels` archiving deletes a channel, and unarchiving creates it. */
const wireArchiving = (
  payload: Extract<StreamPayload, { readonly op: "archive" | "unarchive" }>,
  { archivedChannels }: ClientRendering,
  isActive: IsActive,
): ReadonlyArray<WireEvent> => {
  const { id, name } = payload.op === "archive" ? archivedChannel(payload) : payload.channel
  if (archivedChannels)
    return oneEvent({
      type: "stream",
      op: "update",
      stream_id: id,
      name,
      property: "is_archived",
      value: payload.op === "archive",
    })
  if (payload.op === "archive") return gone([id])
  const stream = wireChannel(payload.channel, payload.subscriber_count, isActive)
  return oneEvent({ type: "stream", op: "create", streams: [stream] })
}

const wire = (payload: OfOneChannel, rendering: ClientRendering, isActive: IsActive): ReadonlyArray<WireEvent> => {
  switch (payload.op) {
    case "create": {
      if (payload.channel.is_archived && !rendering.archivedChannels) return noEvents
      const stream = wireChannel(payload.channel, payload.subscriber_count, isActive)
      return oneEvent({ type: "stream", op: "create", streams: [stream] })
    }
    case "update":
      return "set" in payload && payload.is_archived === true && !rendering.archivedChannels
        ? noEvents
        : wireUpdate(payload, isActive)
    case "archive":
    case "unarchive":
      return wireArchiving(payload, rendering, isActive)
    case "delete":
      return gone(knownOf(payload, rendering))
  }
}

/** The event of one channel in a row about many: the same for all who see the channel. */
interface SharedChannelEvent {
  readonly channel: ChannelId
  readonly n: number
  /** Its text, made when first wanted and then kept, so that its bytes are made once. */
  readonly event: () => JsonText
}

/** Members of the object that an event is, beside those of its channel: the same for all channels of a change. */
const membersOf = (change: PermissionChange, isActive: IsActive): ReadonlyArray<string> =>
  propertiesOf({ permissions: { [change.permission]: change.value } }, isActive).map((property) =>
    JSON.stringify(property).slice(1),
  )

const tellAll = ({ changes }: Permissions, isActive: IsActive): ReadonlyArray<SharedChannelEvent> => {
  const all: Array<SharedChannelEvent> = []
  for (const change of changes) {
    const members = builtOnce(() => membersOf(change, isActive))
    const width = changeWidth({ permissions: { [change.permission]: change.value } })
    for (const [channel, name] of change.channels)
      for (let which = 0; which < width; which++) {
        const start = () => JSON.stringify({ type: "stream", op: "update", stream_id: channel, name }).slice(0, -1)
        const event = builtOnce(() => new JsonText(`${start()},${members()[which]}`))
        all.push({ channel, n: all.length, event })
      }
  }
  return all
}

const isOfMany = ({ payload }: EventBody): boolean => payload["op"] === "permissions"

const lookOf = (past: RealmHistory, read: (payload: JsonObject) => StreamPayload): EventType => {
  const activeAt = (body: EventBody) => activeAtRow(past.activeAt, body)
  const many = cachedPerEvent((body) => {
    const payload = read(body.payload)
    if (payload.op !== "permissions") throw new Error("the row is about one channel")
    return {
      told: tellAll(payload, activeAt(body)),
      seen: new VisibleChannels(past, payload, requireStoredRow(body).position),
    }
  })
  const wireMany = (body: EventBody, receiver: EventReceiver): ReadonlyArray<WireEvent> => {
    const { told, seen } = many(body)
    const channels = new Set(seen.of(receiver))
    return told.flatMap(({ channel, n, event }) => (channels.has(channel) ? [{ n, event: event() }] : []))
  }
  return {
    personal: true,
    apart: (body) => (isOfMany(body) ? null : emptyUserSet),
    // As many as there are events: none of them is made for it.
    weight: (body) => (isOfMany(body) ? requireStoredRow(body).width : 0),
    variant: (body, receiver) =>
      isOfMany(body) ? many(body).seen.key(receiver) : String(receiver.rendering.archivedChannels),
    wire: (body, receiver) => {
      if (isOfMany(body)) return wireMany(body, receiver)
      const payload = read(body.payload)
      return payload.op === "permissions" ? noEvents : wire(payload, receiver.rendering, activeAt(body))
    },
  }
}

export const streamKind = wireKind(streamRows, {
  events: streamEvents,
  sections: ["stream", "subscription"],
  wireForm: lookOf,
})
