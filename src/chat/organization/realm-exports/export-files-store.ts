/** Which files exports have: the periodic job removes all others (files/sweep-files.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { RealmId } from "../../../ids.ts"
import { type FilesInUse, isAnyFound } from "../../ground/files/sweep-files.ts"
import { exportFile, exportsFolder } from "./export-list.ts"

const readTokens = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ token: Schema.String })))

export const exportFiles: FilesInUse = {
  folders: [[exportsFolder]],
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    const rows = yield* database.query(
      `select each ->> 'token' as token from realm_exports, jsonb_array_elements(exports) as each
        where realm_id = $1::integer and each ->> 'token' is not null`,
      [realm],
    )
    const named = new Set(readTokens(rows).map(({ token }) => exportFile(realm, token)))
    return new Set(names.filter((name) => named.has(name)))
  }),
  isAnyNamed: isAnyFound(
    "select from realm_exports, jsonb_array_elements(exports) as each where each ->> 'token' is not null limit 1",
  ),
}

const readOld = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ realm_id: Schema.Number })))

/** Active organizations that have files of exports which were wanted before a time. */
export const findWithOld = Effect.fnUntraced(function* (database: Pick<DatabaseShape, "query">, before: number) {
  const rows = yield* database.query(
    `select e.realm_id from realm_exports as e join realm as r on r.id = e.realm_id
      where (r.settings ->> 'deactivated')::boolean is not true and exists (
        select from jsonb_array_elements(e.exports) as each
         where each ->> 'token' is not null and (each ->> 'made_at')::double precision < $1::double precision)
      order by e.realm_id`,
    [before],
  )
  return readOld(rows).map(({ realm_id }) => RealmId(realm_id))
})
