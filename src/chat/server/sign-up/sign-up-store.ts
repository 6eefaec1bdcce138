/** Wishes for organizations, as the database keeps them for a day (sign-ups.sql): each found by the hash of its link. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { type Mail, mailPayload } from "../../sending/mail/mail.ts"

/** How long a link works. Its row stays as long: the mails of that time are counted by it. */
const linkMilliseconds = 24 * 3600_000
/** Links mailed to one address in that time: who gets them may not have asked. */
const mostToAddress = 3

const SignUp = Schema.Struct({
  email: Schema.String,
  /** Of the organization. */
  name: Schema.String,
  label: Schema.String,
  /** Its making has begun, at this label, so there it must end. */
  is_begun: Schema.Boolean,
})
export type SignUp = typeof SignUp.Type

const readFound = Schema.decodeUnknownSync(SignUp)
const readAsked = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ asked: Schema.Literals(["asked", "often", "many"]) })]),
)

/** What a link is for; undefined: there is none, or it does not work any more. */
export const findSignUp = Effect.fnUntraced(function* (hash: string) {
  const now = (yield* Clock).now()
  const [row] = yield* (yield* Database).query(
    `select email, name, label, is_begun from sign_up
      where link_hash = $1 and ended_at is null and expires_at > $2::bigint`,
    [hash, now],
  )
  return row === undefined ? undefined : readFound(row)
})

type NewSignUp = Pick<SignUp, "email" | "name" | "label"> & { readonly hash: string }

/** Notes the wish and its mail. `often`: its address has got enough of them; `many`: the server has sent enough. */
export const askSignUp = Effect.fnUntraced(function* (
  { hash, email, name, label }: NewSignUp,
  mail: Mail,
  inAll: number,
) {
  const now = (yield* Clock).now()
  const rows = yield* (yield* Database).query(
    "select ask_sign_up_v1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as asked",
    [
      now,
      hash,
      email,
      fold(email),
      name,
      label,
      JSON.stringify(mailPayload(mail)),
      linkMilliseconds,
      mostToAddress,
      inAll,
    ],
  )
  const [{ asked }] = readAsked(rows)
  return asked
})

/** Before the organization is made: whoever goes on after a crash does so at this label. */
export const beginSignUp = Effect.fnUntraced(function* (hash: string, name: string, label: string) {
  yield* (yield* Database).query(
    "update sign_up set name = $2, label = $3, is_begun = true where link_hash = $1 and ended_at is null",
    [hash, name, label],
  )
})

export const endSignUp = Effect.fnUntraced(function* (hash: string) {
  const now = (yield* Clock).now()
  yield* (yield* Database).query("update sign_up set ended_at = $2::bigint where link_hash = $1", [hash, now])
})

export const forgetSignUpsJob = periodicOnce({
  name: "wishes for organizations that are over",
  everyMilliseconds: 3600_000,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    const before = (yield* Clock).now() - linkMilliseconds
    const database = yield* Database
    const forgetSome = Effect.map(database.query("select forget_sign_ups_v1($1::bigint) as many", [before]), ([row]) =>
      Number(row?.["many"]),
    )
    while ((yield* forgetSome) > 0);
  }),
})
