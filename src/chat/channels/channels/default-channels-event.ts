/** Rows and events about default channels and default channel groups. Each row carries the whole list. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { Id, Ids, plainEvent } from "../../ground/wire/wire-values.ts"
import { DefaultGroupRecord, defaultGroups } from "./default-groups.ts"

/** The ids of the default channels, in events and in register. */
export const DefaultChannels = Ids.check(Schema.isUnique())

/** The whole list of channels that new users are subscribed to. */
export const defaultStreamsKind = eventKind({
  type: "default_streams",
  payload: Schema.Struct({ channel_ids: Schema.Array(idSchemas.channel) }),
  changesRules: true,
  applyFunction: "apply_default_streams_v1",
  applyToProjection: (realm, { channel_ids }) => {
    const defaults = new Set(channel_ids)
    for (const channel of [...realm.channels.values()]) {
      const is_default = defaults.has(channel.id)
      if (channel.is_default !== is_default) realm.setChannel({ ...channel, is_default })
    }
  },
  events: { "": plainEvent("default_streams", { default_streams: DefaultChannels }) },
  sections: ["default_streams"],
  wire: ({ channel_ids }) => oneEvent({ type: "default_streams", default_streams: channel_ids }),
})

/** Default channel groups in events and in register. */
export const wireDefaultGroups = (groups: ReadonlyArray<DefaultGroupRecord>): ReadonlyArray<JsonObject> =>
  groups.map(({ id, name, description, channel_ids }) => ({ id, name, description, streams: channel_ids }))

export const DefaultGroups = Schema.Array(
  Schema.Struct({ id: Id, name: Schema.NonEmptyString, description: Schema.String, streams: DefaultChannels }),
)

export const defaultStreamGroupsKind = eventKind({
  type: "default_stream_groups",
  payload: Schema.Struct({ groups: Schema.Array(DefaultGroupRecord) }),
  changesRules: true,
  applyFunction: "apply_default_stream_groups_v1",
  applyToProjection: (realm, { groups }) => {
    realm.part(defaultGroups).all = groups
  },
  events: { "": plainEvent("default_stream_groups", { default_stream_groups: DefaultGroups }) },
  sections: ["default_stream_groups"],
  wire: ({ groups }) => oneEvent({ type: "default_stream_groups", default_stream_groups: wireDefaultGroups(groups) }),
})
