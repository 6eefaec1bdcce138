/** Channel folders as rows and as events, and the section of register that lists them. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { type JsonObject, presentFields } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { Count, Id, opEvent, Seconds, SomeIds } from "../../ground/wire/wire-values.ts"
import { FolderRecord, folders } from "./folder-list.ts"

const FolderChange = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  rendered_description: Schema.optionalKey(Schema.String),
  is_archived: Schema.optionalKey(Schema.Boolean),
})
/** The changed fields of a folder. */
export type FolderChange = typeof FolderChange.Type

const ChannelFolderPayload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), folder: FolderRecord }),
  Schema.Struct({ op: Schema.Literal("update"), folder_id: idSchemas.folder, set: FolderChange }),
  /** The ids of all folders in their new order. */
  Schema.Struct({ op: Schema.Literal("reorder"), order: Schema.Array(idSchemas.folder) }),
])
export type ChannelFolderPayload = typeof ChannelFolderPayload.Type

export const wireFolder = (folder: FolderRecord): JsonObject => ({
  id: folder.id,
  name: folder.name,
  description: folder.description,
  rendered_description: folder.rendered_description,
  order: folder.order,
  date_created: unixSeconds(folder.created_at),
  creator_id: folder.creator_id,
  is_archived: folder.is_archived,
})

const texts = { name: Schema.NonEmptyString, description: Schema.String, rendered_description: Schema.String }

const Folder = Schema.Struct({
  id: Id,
  ...texts,
  /** The place among the folders, from 0. */
  order: Count,
  date_created: Seconds,
  /** null: the folder was made by the server itself. */
  creator_id: Schema.NullOr(Id),
  is_archived: Schema.Boolean,
}).annotate({ identifier: "ChannelFolder" })

/** The section of register: all folders in the order in which clients show them. */
export const Folders = Schema.Array(Folder).check(
  Schema.makeFilter(
    (list: ReadonlyArray<{ readonly order: number }>) =>
      list.every(({ order }, n) => n === 0 || order > (list[n - 1]?.order ?? 0)),
    { expected: "folders by their order" },
  ),
)

/** The changed fields of a folder, one kind of change per event; a description comes with its HTML. */
const WireChange = Schema.Union([
  Schema.Struct({ name: texts.name }),
  Schema.Struct({
    ...texts,
    name: Schema.optionalKey(texts.name),
    is_archived: Schema.optionalKey(Schema.Boolean),
  }),
  Schema.Struct({ name: Schema.optionalKey(texts.name), is_archived: Schema.Boolean }),
])

const wire = (payload: ChannelFolderPayload): JsonObject => {
  switch (payload.op) {
    case "add":
      return { op: "add", channel_folder: wireFolder(payload.folder) }
    case "update":
      return { op: "update", channel_folder_id: payload.folder_id, data: presentFields(payload.set) }
    case "reorder":
      return { op: "reorder", order: payload.order }
  }
}

export const channelFolderKind = eventKind({
  type: "channel_folder",
  payload: ChannelFolderPayload,
  changesRules: true,
  applyFunction: "apply_channel_folder_v1",
  applyToProjection: (realm, payload) => {
    const all = realm.part(folders)
    if (payload.op === "add") all.set(payload.folder.id, payload.folder)
    else if (payload.op === "update") {
      const known = all.get(payload.folder_id)
      if (known !== undefined) all.set(known.id, { ...known, ...presentFields(payload.set) })
    } else {
      for (const [order, id] of payload.order.entries()) {
        const known = all.get(id)
        if (known !== undefined) all.set(id, { ...known, order })
      }
    }
  },
  events: {
    add: opEvent("channel_folder", "add", { channel_folder: Folder }),
    update: opEvent("channel_folder", "update", { channel_folder_id: Id, data: WireChange }),
    reorder: opEvent("channel_folder", "reorder", { order: SomeIds }),
  },
  sections: ["channel_folders"],
  wire: (payload) => oneEvent({ type: "channel_folder", ...wire(payload) }),
})
