/** A mail as its row of the outbox and the table of kept mails have it. */
import * as Schema from "effect/Schema"

export const StoredMail = Schema.Struct({
  to: Schema.Struct({ name: Schema.String, address: Schema.String }),
  subject: Schema.String,
  text: Schema.String,
  html: Schema.String,
  /** What its Message-ID begins with; never used for another mail. */
  message_id: Schema.String,
})
export type StoredMail = typeof StoredMail.Type
