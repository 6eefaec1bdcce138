/** Stores presences. The statement may be repeated: ids that are reserved twice are left out. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import type { PresenceChange } from "../../ground/presences/presences.ts"

export interface UnsavedPresences {
  readonly changes: ReadonlyArray<PresenceChange>
  /** Of whom nothing is known any more. */
  readonly gone: ReadonlyArray<UserId>
  /** How many further ids are reserved. */
  readonly idsToReserve: number
  /** Of the log, when this was so. */
  readonly position: number
}

export const savePresences = (
  database: DatabaseShape,
  realm: RealmId,
  { changes, gone, idsToReserve, position }: UnsavedPresences,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query(
      "select save_presence_v1($1, $2::text::jsonb, $3::text::jsonb, $4, $5)",
      [realm, JSON.stringify(changes), JSON.stringify(gone), idsToReserve, position],
      "kept",
    ),
  )
