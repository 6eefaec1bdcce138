/** Stores presences. The statement may be repeated: ids that are reserved twice are left out. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import type { Change } from "../../ground/presences/presences.ts"

/** `more`: ids that are reserved; `position`: of the log, when the changes were taken. */
export const savePresences = (
  database: DatabaseShape,
  realm: RealmId,
  changes: ReadonlyArray<Change>,
  more: number,
  position: number,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query(
      "select save_presence_v1($1, $2::text::jsonb, $3, $4)",
      [realm, JSON.stringify(changes), more, position],
      "kept",
    ),
  )
