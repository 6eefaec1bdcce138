/** Mails that development mode keeps instead of sending them (kept-mail.sql, schema.sql), for its page. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { StoredMail } from "./stored-mail.ts"

/** The newest are kept. */
const mostKept = 100

const readKept = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ kept_at: Schema.Number, mail: Schema.fromJsonString(StoredMail) })),
)

/** Keeps a mail, once however often it is called with it, and forgets the oldest. */
export const keepMail = (database: Pick<DatabaseShape, "query">, mail: StoredMail, now: number) =>
  Effect.asVoid(
    database.query("select keep_mail_v1($1, $2::bigint, $3::jsonb, $4::integer)", [
      mail.message_id,
      now,
      JSON.stringify(mail),
      mostKept,
    ]),
  )

/** The newest first. */
export const readKeptMails = (database: Pick<DatabaseShape, "query">) =>
  Effect.map(
    database.query("select kept_at, mail::text as mail from kept_mail order by id desc limit $1", [mostKept]),
    (rows) => readKept(rows),
  )
