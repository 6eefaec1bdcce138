/** Finds a link by its hash, and forgets those that are over (account-links.sql). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { idSchemas, type RealmId } from "../../../ids.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { type LinkPurpose, linkLifetimeMilliseconds } from "./account-link-kinds.ts"

const Found = Schema.Struct({ user_id: idSchemas.user, email: Schema.String })
const readFound = Schema.decodeUnknownSync(Found)

/** Whose link it is, and the address that it was mailed to; null: there is none, or it does not work any more. */
export const findAccountLink = Effect.fnUntraced(function* (realm: RealmId, purpose: LinkPurpose, hash: string) {
  const now = (yield* Clock).now()
  const [row] = yield* (yield* Database).query(
    `select user_id, email from account_link
      where realm_id = $1 and link_hash = $2 and purpose = $3 and ended_at is null and expires_at > $4::bigint`,
    [realm, hash, purpose, now],
  )
  return row === undefined ? null : readFound(row)
})

export const forgetAccountLinksJob = periodicOnce({
  name: "links of accounts that are over",
  everyMilliseconds: 3600_000,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    const before = (yield* Clock).now() - linkLifetimeMilliseconds
    const database = yield* Database
    const forgetSome = Effect.map(
      database.query("select forget_account_links_v1($1::bigint) as many", [before]),
      ([row]) => Number(row?.["many"]),
    )
    while ((yield* forgetSome) > 0);
  }),
})
