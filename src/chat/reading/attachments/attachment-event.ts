/** Uploaded files as their owners' clients read them. */
import * as Schema from "effect/Schema"
import { attachmentRows } from "../../ground/kinds/attachment-row.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { Count, Id, opEvent, Seconds } from "../../ground/wire/wire-values.ts"

const type = "attachment"

/**
 * `messages`: the newest hundred that link it, of those that its owner may know
 * of; fewer in the events of a message with many files.
 */
export const WireAttachment = Schema.Struct({
  id: Id,
  name: Schema.NonEmptyString,
  path_id: Schema.NonEmptyString,
  size: Count,
  create_time: Seconds,
  messages: Schema.Array(Schema.Struct({ id: Id, date_sent: Seconds })),
}).annotate({ identifier: "Attachment" })

const upload_space_used = Count

/** No section of register lists files: clients ask for the list. */
export const attachmentKind = wireKind(attachmentRows, {
  events: {
    add: opEvent(type, "add", { attachment: WireAttachment, upload_space_used }),
    update: opEvent(type, "update", { attachment: WireAttachment, upload_space_used }),
    remove: opEvent(type, "remove", { attachment: Schema.Struct({ id: Id }), upload_space_used }),
  },
  wire: (payload, body) => {
    if (payload.op !== "add") return oneEvent({ type, ...payload })
    const { position, at } = requireStoredRow(body)
    const made = { id: position, ...payload.attachment, create_time: unixSeconds(at), messages: [] }
    return oneEvent({ type, ...payload, attachment: made })
  },
})
