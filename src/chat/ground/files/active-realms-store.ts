/** The organizations whose files are looked through: all that are active, loaded or not. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { RealmId } from "../../../ids.ts"

const readRealms = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Number })))

export const findActiveRealms = Effect.fnUntraced(function* (database: Pick<DatabaseShape, "query">) {
  const rows = yield* database.query(
    "select id from realm where (settings ->> 'deactivated')::boolean is not true order by id",
  )
  return readRealms(rows).map(({ id }) => RealmId(id))
})
