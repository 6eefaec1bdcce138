/** A mail as its row of the outbox and the table of kept mails have it. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"

export const StoredMail = Schema.Struct({
  to: Schema.Struct({ name: Schema.String, address: Schema.String }),
  subject: Schema.String,
  text: Schema.String,
  html: Schema.String,
  /** What its Message-ID begins with; never used for another mail. */
  message_id: Schema.String,
  /** Who is told if it cannot be delivered. */
  asked_by: Schema.optionalKey(idSchemas.user),
})
export type StoredMail = typeof StoredMail.Type
