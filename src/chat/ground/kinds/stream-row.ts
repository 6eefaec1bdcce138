/** Rows about channels. Written by all commands that make, change, show or hide channels. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { presentFields } from "../../../json.ts"
import { fold, GroupSetting } from "../realm/domain-values.ts"
import type { Realm } from "../realm/realm.ts"
import { ChannelChange, ChannelRecord, channelPermissions } from "../realm/records.ts"
import { rowKind } from "./event-kind.ts"
import { channelsByViewers } from "./visibility/channels-by-viewers.ts"

/** The channel is archived: clients without `archived_channels` know it as deleted and do not get the event. */
const isArchived = { is_archived: Schema.optionalKey(Schema.Literal(true)) }
/** `name`: the channel's name before the row. */
const update = { op: Schema.Literal("update"), channel_id: idSchemas.channel, name: Schema.String }

export const StreamPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("create"), channel: ChannelRecord, subscriber_count: Schema.Number }),
  Schema.Struct({ ...update, set: ChannelChange, ...isArchived }),
  /** A channel gets its first message, or another one; the commit fills in its id. `is_empty`: it has no message any more. */
  Schema.Struct({
    ...update,
    property: Schema.Literal("first_message_id"),
    value: Schema.NullOr(idSchemas.message),
    is_empty: Schema.optionalKey(Schema.Literal(true)),
  }),
  Schema.Struct({ op: Schema.Literal("archive"), channel_id: idSchemas.channel, name: Schema.String }),
  /** Archiving, as older programs wrote it. */
  Schema.Struct({
    op: Schema.Literal("archive"),
    channel: Schema.Struct({ id: idSchemas.channel, name: Schema.String }),
  }),
  /** `channel`: the whole record after the row. Subscriptions stay. */
  Schema.Struct({ op: Schema.Literal("unarchive"), channel: ChannelRecord, subscriber_count: Schema.Number }),
  /**
   * Only informs: permissions of many channels are shown otherwise from now on, because somebody whom they name has left or is
   * back. The value is the stored one; each channel with its name.
   */
  Schema.Struct({
    op: Schema.Literal("permissions"),
    changes: Schema.Array(
      Schema.Struct({
        permission: Schema.Literals(channelPermissions),
        value: GroupSetting,
        channels: Schema.Array(Schema.Tuple([idSchemas.channel, Schema.String])),
      }),
    ),
    ...channelsByViewers,
  }),
  /** Only informs users who can no longer see these channels; the channels themselves stay. */
  Schema.Struct({
    op: Schema.Literal("delete"),
    channel_ids: Schema.Array(idSchemas.channel),
    /** The archived ones among them, which clients without `archived_channels` know as deleted already. */
    archived_ids: Schema.optionalKey(Schema.Array(idSchemas.channel)),
  }),
])
export type StreamPayload = typeof StreamPayload.Type
export type PermissionChange = Extract<StreamPayload, { readonly op: "permissions" }>["changes"][number]

/** Number of events that a change takes: who may post is told in two older forms, too. */
export const changeWidth = ({ permissions = {} }: ChannelChange): number =>
  "can_send_message_group" in permissions ? 3 : 1

/** The channel's record after a change. */
export const withChannelChange = (channel: ChannelRecord, { permissions, ...set }: ChannelChange): ChannelRecord => ({
  ...channel,
  ...presentFields(set),
  permissions: { ...channel.permissions, ...permissions },
})

/** The id and the name of the channel that a row archives. */
export const archivedChannel = (payload: Extract<StreamPayload, { readonly op: "archive" }>) =>
  "channel" in payload ? payload.channel : { id: payload.channel_id, name: payload.name }

const applyToProjection = (realm: Realm, payload: StreamPayload): void => {
  switch (payload.op) {
    case "create":
    case "unarchive":
      return realm.setChannel(payload.channel)
    case "archive": {
      const known = realm.channels.get(archivedChannel(payload).id)
      if (known !== undefined) realm.setChannel({ ...known, is_archived: true })
      return
    }
    case "update": {
      const known = realm.channels.get(payload.channel_id)
      if (known === undefined) return
      return "property" in payload
        ? realm.setChannel({ ...known, first_message_id: payload.value })
        : realm.setChannel(withChannelChange(known, payload.set))
    }
    case "permissions":
    case "delete":
      return
  }
}

/** The name that a row gives to a channel. */
const nameIn = (payload: StreamPayload): string | undefined => {
  if (payload.op === "create") return payload.channel.name
  return payload.op === "update" && "set" in payload ? payload.set.name : undefined
}

export const streamRows = rowKind({
  type: "stream",
  payload: StreamPayload,
  changesRules: true,
  applyFunction: "apply_stream_v2",
  filledIn: ["value"],
  derive: (payload) => {
    const name = nameIn(payload)
    return name === undefined ? {} : { name_folded: fold(name) }
  },
  applyToProjection,
})
