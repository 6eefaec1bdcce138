/** Finds the first message from a moment on. Called by find-anchor.ts only. */
import * as Effect from "effect/Effect"
import type { UserRead } from "../../../db/reads.ts"
import type { RealmId } from "../../../ids.ts"

/**
 * The id from which messages are of that time or later, in milliseconds: times rise with ids, but for a clock that was set back. The
 * database looks it up as one does a word in a dictionary.
 */
export const findIdSince = Effect.fnUntraced(function* (reading: UserRead, realm: RealmId, time: number) {
  const [row] = yield* reading.query("select messages_since_v1($1, $2) as id", [realm, time])
  return Number(row?.["id"] ?? 0)
})
