/** Reads one stored section of register alone, for the endpoints that list the same records. */
import * as Effect from "effect/Effect"
import { requesterName } from "../../../api/endpoint.ts"
import { UserReads } from "../../../db/reads.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { parseJson } from "../../../json.ts"
import { type StoredSection, storedCall } from "./section.ts"

/**
 * The JSON of the section's SQL function: for the section's `read`, or for a decoder that needs more than clients get.
 */
export const findStored = Effect.fnUntraced(function* (
  section: Pick<StoredSection, "stored" | "storedOf">,
  realm: RealmId,
  user: UserId,
) {
  const reading = (yield* UserReads).begin(requesterName({ realm, user }))
  const [row] = yield* reading.query(`select ${storedCall(section)}::text as found`, [realm, user])
  return parseJson(String(row?.["found"]))
})
