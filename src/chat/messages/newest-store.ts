/** The newest message that reached a user, asked for alone; with the rest of a register it is a section. */
import * as Effect from "effect/Effect"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { RealmId, UserId } from "../../ids.ts"

/** -1 where none did. */
export const findNewestMessage = (
  database: DatabaseShape,
  realm: RealmId,
  user: UserId,
): Effect.Effect<number, Unavailable> =>
  Effect.map(database.query("select section_message_v1($1, $2)::text as newest", [realm, user]), ([row]) =>
    Number(row?.["newest"]),
  )
