/** How changes of channels, folders and default channels look on the wire (contract 5.1). */
import type { EventType, Rendering, WireEvent } from "../../events/encode.ts"
import { type Json, type JsonObject, presentFields } from "../../json.ts"
import { type ActiveAt, activeAtRow, none, one, plain } from "../kinds/event-shape.ts"
import {
  type ChannelFolderPayload,
  readChannelFolder,
  readDefaultStreamGroups,
  readDefaultStreams,
  readStream,
  type StreamPayload,
} from "../kinds/payloads.ts"
import { shownSetting } from "../permissions/group-settings.ts"
import type { ChannelChange } from "../realm/records.ts"
import { type IsActive, postPolicy, wireChannel, wireFolder } from "../wire/wire-records.ts"

type Update = Extract<StreamPayload, { readonly op: "update" }>

/** The property that clients know a change by, its value, and what is told beside it. */
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
      // Older clients know who may post by these.
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

/** How many events a change is: older clients are told twice more who may post. */
export const changeWidth = ({ permissions = {} }: ChannelChange): number =>
  "can_send_message_group" in permissions ? 3 : 1

const wireUpdate = (payload: Update, isActive: IsActive): ReadonlyArray<WireEvent> => {
  const common = { type: "stream", op: "update", stream_id: payload.channel_id, name: payload.name }
  const properties =
    "property" in payload ? [{ property: payload.property, value: payload.value }] : propertiesOf(payload.set, isActive)
  return properties.map((property, n) => ({ n, event: { ...common, ...property } }))
}

/** Of channels that go, those that the client knew. */
const knownOf = (
  { channel_ids, archived_ids = [] }: Extract<StreamPayload, { readonly op: "delete" }>,
  { archivedChannels }: Rendering,
): ReadonlyArray<number> => (archivedChannels ? channel_ids : channel_ids.filter((id) => !archived_ids.includes(id)))

const gone = (ids: ReadonlyArray<number>): ReadonlyArray<WireEvent> =>
  ids.length === 0
    ? none
    : one({ type: "stream", op: "delete", streams: ids.map((id) => ({ stream_id: id })), stream_ids: ids })

/** Clients who do not know archived channels see them go and come. */
const wireArchiving = (
  { op, channel, subscriber_count }: Extract<StreamPayload, { readonly op: "archive" | "unarchive" }>,
  { archivedChannels }: Rendering,
  isActive: IsActive,
): ReadonlyArray<WireEvent> => {
  if (archivedChannels)
    return one({
      type: "stream",
      op: "update",
      stream_id: channel.id,
      name: channel.name,
      property: "is_archived",
      value: op === "archive",
    })
  if (op === "archive") return gone([channel.id])
  return one({ type: "stream", op: "create", streams: [wireChannel(channel, subscriber_count, isActive)] })
}

export const streamEvent = (activeAt: ActiveAt): EventType => ({
  personal: false,
  variant: (_body, { archivedChannels }) => String(archivedChannels),
  wire: (body, rendering) => {
    const payload = readStream(body.payload)
    const isActive = activeAtRow(activeAt, body)
    switch (payload.op) {
      case "create":
        if (payload.channel.is_archived && !rendering.archivedChannels) return none
        return one({
          type: "stream",
          op: "create",
          streams: [wireChannel(payload.channel, payload.subscriber_count, isActive)],
        })
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
  },
})

export const defaultStreamsEvent = plain((body) =>
  one({ type: "default_streams", default_streams: readDefaultStreams(body.payload).channel_ids }),
)

/** As clients read them in register, too. */
export const wireDefaultGroups = (
  groups: ReturnType<typeof readDefaultStreamGroups>["groups"],
): ReadonlyArray<JsonObject> =>
  groups.map(({ id, name, description, channel_ids }) => ({ id, name, description, streams: channel_ids }))

export const defaultStreamGroupsEvent = plain((body) =>
  one({
    type: "default_stream_groups",
    default_stream_groups: wireDefaultGroups(readDefaultStreamGroups(body.payload).groups),
  }),
)

const wireFolderEvent = (payload: ChannelFolderPayload): JsonObject => {
  switch (payload.op) {
    case "add":
      return { op: "add", channel_folder: wireFolder(payload.folder) }
    case "update":
      return { op: "update", channel_folder_id: payload.folder_id, data: presentFields(payload.set) }
    case "reorder":
      return { op: "reorder", order: payload.order }
  }
}

export const channelFolderEvent = plain((body) =>
  one({ type: "channel_folder", ...wireFolderEvent(readChannelFolder(body.payload)) }),
)
