/**
 * The reaction event: an emoji was put under a message, or taken away. Its row is made in reactions.ts and completed by
 * react_v1.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { reactionTypes } from "../../ground/realm/domain-values.ts"
import { placeholderAddress, unknownName } from "../../ground/realm/email-addresses.ts"
import { strangersTo } from "../../ground/wire/receivers-who-do-not-know.ts"
import { Address, Id, opEvent } from "../../ground/wire/wire-values.ts"
import { Reaction } from "../../sending/messages/message-schema.ts"

const type = "reaction"

const Payload = Schema.Struct({
  op: Schema.Literals(["add", "remove"]),
  message_id: idSchemas.message,
  user_id: idSchemas.user,
  emoji_name: Schema.NonEmptyString,
  emoji_code: Schema.NonEmptyString,
  reaction_type: Schema.Literals(reactionTypes),
  user: Schema.Struct({ email: Schema.String, full_name: Schema.String }),
})

const reactionEventFields = {
  message_id: Id,
  ...Reaction.fields,
  /** For old clients, which do not look the user up. */
  user: Schema.Struct({ user_id: Id, email: Address, full_name: Schema.NonEmptyString }),
}

/** No command is judged by reactions, and no section of register holds them. */
export const reactionKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_reaction_v1",
  events: { add: opEvent(type, "add", reactionEventFields), remove: opEvent(type, "remove", reactionEventFields) },
  wireForm: (past, read) => {
    const strangers = strangersTo(past, (body) => ({ user: read(body.payload).user_id }))
    return {
      personal: true,
      apart: strangers.to,
      variant: (body, receiver) => (strangers.isStranger(body, receiver) ? "?" : ""),
      wire: (body, receiver) => {
        const { user: named, ...reaction } = read(body.payload)
        const id = reaction.user_id
        const user = strangers.isStranger(body, receiver)
          ? { email: placeholderAddress(past, { id }), full_name: unknownName }
          : named
        return oneEvent({ type, user: { user_id: id, ...user }, ...reaction })
      },
    }
  },
})
