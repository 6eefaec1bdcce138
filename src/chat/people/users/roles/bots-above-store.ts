/** Finds the owners of bots whose role is above theirs (users.sql). */
import * as Effect from "effect/Effect"
import { Database } from "../../../../db/database.ts"
import { RealmId, UserId } from "../../../../ids.ts"

export const findOwnersBelowBots = Effect.gen(function* () {
  const rows = yield* (yield* Database).query("select realm_id, owner_id from owners_below_bots_v1()")
  return rows.map(({ realm_id, owner_id }) => ({ realm: RealmId(Number(realm_id)), owner: UserId(Number(owner_id)) }))
})
