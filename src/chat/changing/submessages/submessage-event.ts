/** The submessage event: somebody did something in a poll or a to-do list. Made in submessages.ts. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { Id, plainEvent } from "../../ground/wire/wire-values.ts"
import { widgetMessageType } from "../../sending/messages/widgets.ts"

const type = "submessage"

const Payload = Schema.Struct({ message_id: idSchemas.message, sender_id: idSchemas.user, content: Schema.String })

/** No command is judged by submessages, and no section of register holds them. */
export const submessageKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_submessage_v1",
  redact: (payload) => ({ ...payload, content: "{}" }),
  events: {
    "": plainEvent(type, {
      message_id: Id,
      submessage_id: Id,
      sender_id: Id,
      msg_type: Schema.Literal(widgetMessageType),
      content: Schema.String,
    }),
  },
  wire: ({ message_id, sender_id, content }, body) => {
    const submessage_id = requireStoredRow(body).position
    return oneEvent({ type, message_id, submessage_id, sender_id, msg_type: widgetMessageType, content })
  },
})
