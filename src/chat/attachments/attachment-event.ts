/**
 * Uploaded files as rows and events (contract 3.1.7, 5.1). Only a file's owner gets its events. Rows are completed by
 * attachments.sql: it knows how much space is used, and which messages link a file.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../events/audience.ts"
import type { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { eventKind } from "../kinds/event-kind.ts"
import { asRow, one } from "../kinds/event-shape.ts"
import { unixSeconds } from "../realm/values.ts"
import { Count, Id, opEvent, Seconds } from "../wire/wire-values.ts"

const type = "attachment"

const described = { name: Schema.NonEmptyString, path_id: Schema.NonEmptyString, size: Count }

/** A file as its owner reads it. `messages`: the newest hundred that link it, of those that its owner may know of. */
export const WireAttachment = Schema.Struct({
  id: Id,
  ...described,
  create_time: Seconds,
  messages: Schema.Array(Schema.Struct({ id: Id, date_sent: Seconds })),
})

const removed = Schema.Struct({ id: Id })
const upload_space_used = Count

const Payload = Schema.Union([
  Schema.Struct({ op: Schema.Literal("add"), attachment: Schema.Struct(described), upload_space_used }),
  Schema.Struct({ op: Schema.Literal("update"), attachment: WireAttachment, upload_space_used }),
  Schema.Struct({ op: Schema.Literal("remove"), attachment: removed, upload_space_used }),
])

/** No other command depends on a file, and no section of register lists them: clients ask for the list. */
export const attachmentKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  table: "apply_attachment_v1",
  events: {
    add: opEvent(type, "add", { attachment: WireAttachment, upload_space_used }),
    update: opEvent(type, "update", { attachment: WireAttachment, upload_space_used }),
    remove: opEvent(type, "remove", { attachment: removed, upload_space_used }),
  },
  wire: (payload, body) => {
    if (payload.op !== "add") return one({ type, ...payload })
    const { position, at } = asRow(body)
    const made = { id: position, ...payload.attachment, create_time: unixSeconds(at), messages: [] }
    return one({ type, ...payload, attachment: made })
  },
})

/** Filled in by the commit. */
const unknownSpace = 0

/** What is stored with a new file and is no part of its events; `quota` in bytes. */
export interface NewFile {
  readonly content_type: string
  readonly quota: number
  readonly width?: number
  readonly height?: number
  readonly is_animated?: boolean
}

export const addedRow = (
  owner: UserId,
  attachment: { readonly name: string; readonly path_id: string; readonly size: number },
  file: NewFile,
) => {
  const beside: JsonObject = { ...file, owner_id: owner }
  return attachmentKind.change({ op: "add", attachment, upload_space_used: unknownSpace }, toUsers([owner]), { beside })
}

/** `unclaimed`: only if no message links it. */
export const removedRow = (owner: UserId, id: number, unclaimed: boolean) =>
  attachmentKind.change({ op: "remove", attachment: { id }, upload_space_used: unknownSpace }, toUsers([owner]), {
    beside: { owner_id: owner, unclaimed },
  })
