/**
 * Uploaded files as rows: written by their owners' requests, and by messages that link them. Only the owner gets the
 * events. Rows are completed by attachments.sql: it knows how much space is used, and which messages link a file. Their
 * wire form is made in reading/attachments.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { rowKind } from "./event-kind.ts"

const described = { name: Schema.NonEmptyString, path_id: Schema.NonEmptyString, size: Schema.Number }
const removed = Schema.Struct({ id: Schema.Number })
const upload_space_used = Schema.Number

/**
 * A file as its owner reads it. `messages`: the newest hundred that link it, of those that its owner may know
 * of; fewer in the events of a message with many files.
 */
const wholeAttachment = Schema.Struct({
  id: Schema.Number,
  ...described,
  create_time: Schema.Number,
  messages: Schema.Array(Schema.Struct({ id: Schema.Number, date_sent: Schema.Number })),
})

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), attachment: Schema.Struct(described), upload_space_used }),
  Schema.Struct({ op: Schema.Literal("update"), attachment: wholeAttachment, upload_space_used }),
  Schema.Struct({ op: Schema.Literal("remove"), attachment: removed, upload_space_used }),
])

/** No other command depends on a file. */
export const attachmentRows = rowKind({
  type: "attachment",
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_attachment_v1",
})

/** Filled in by the commit. */
const unknownSpace = 0

/** Data that are stored with a new file and are no part of its events. `quota`: bytes; `most`: files of a user. */
export interface NewAttachment {
  readonly content_type: string
  readonly quota: number
  readonly most: number
  readonly width?: number
  readonly height?: number
  readonly is_animated?: boolean
}

export const addedFileRow = (
  owner: UserId,
  attachment: { readonly name: string; readonly path_id: string; readonly size: number },
  file: NewAttachment,
) => {
  const sideData: JsonObject = { ...file, owner_id: owner }
  return attachmentRows.change({ op: "add", attachment, upload_space_used: unknownSpace }, toUsers([owner]), {
    sideData,
  })
}

/** `unclaimed`: only if no message links it. */
export const removedFileRow = (owner: UserId, id: number, unclaimed: boolean) =>
  attachmentRows.change({ op: "remove", attachment: { id }, upload_space_used: unknownSpace }, toUsers([owner]), {
    sideData: { owner_id: owner, unclaimed },
  })

/** The form of the rows that link_files_v1 and its like write, once for each file that a message links or stops to. */
export const linkedFileRow = attachmentRows.tell(
  {
    op: "update",
    attachment: { id: 0, name: "-", path_id: "-", size: 0, create_time: 0, messages: [] },
    upload_space_used: unknownSpace,
  },
  toUsers([]),
)
