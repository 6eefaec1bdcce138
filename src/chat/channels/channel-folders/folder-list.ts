/** The channel folders of an organization: a part of the projection. */
import * as Schema from "effect/Schema"
import { FolderId, idSchemas } from "../../../ids.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"

export const FolderRecord = Schema.Struct({
  id: idSchemas.folder,
  name: Schema.String,
  description: Schema.String,
  rendered_description: Schema.String,
  /** Its place in the order of folders, from 0. */
  order: Schema.Number,
  creator_id: Schema.NullOr(idSchemas.user),
  /** Milliseconds since the Unix epoch. */
  created_at: Schema.Number,
  is_archived: Schema.Boolean,
})
export type FolderRecord = typeof FolderRecord.Type

class FolderList extends Map<FolderId, FolderRecord> {
  /** Folders are archived, never removed. */
  nextId(): FolderId {
    return FolderId(this.size + 1)
  }
}

/** By id. Their order on the wire is a field of the record. */
export const folders = projectionPart({
  name: "folders",
  load: "load_channel_folders_v1",
  stored: Schema.Array(FolderRecord),
  empty: () => new FolderList(),
  fill: (folders, stored) => {
    for (const folder of stored) folders.set(folder.id, folder)
  },
  plain: (folders) => [...folders.values()].sort((a, b) => a.id - b.id),
})
