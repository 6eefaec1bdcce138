/**
 * Reads from the database the sections of register that the projection does not hold, and by the same statement the
 * head of the log, so that the events go on from exactly there (I13).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ApiError, Unavailable } from "../../../api/errors.ts"
import type { UserRead } from "../../../db/reads.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { type StoredSection, storedCall } from "../../ground/kinds/section.ts"

const StoredState = Schema.Struct({
  /** The newest position of the log and the width of its row; both 0 if the log is empty. */
  head: Schema.Number,
  width: Schema.Number,
  /** The JSON of each requested section, by its name. */
  values: Schema.Record(Schema.String, Schema.Unknown),
})
export type StoredState = typeof StoredState.Type
export const readStoredState = Schema.decodeUnknownSync(StoredState)
const readText = Schema.decodeUnknownSync(Schema.fromJsonString(StoredState))

/**
 * The same SQL text whatever is requested, so that it is prepared once. The functions are stable: all see one snapshot.
 */
const statementOf = (sections: ReadonlyArray<StoredSection>): string => {
  const values = sections.map(
    (section) => `'${section.name}', case when $3::text::jsonb ? '${section.name}' then ${storedCall(section)} end`,
  )
  return `
    select json_build_object('head', coalesce(newest.position, 0), 'width', coalesce(newest.width, 0),
                             'values', json_build_object(${values.join(", ")}))::text as state
      from (values (1)) as always left join lateral (
        select position, width from log where realm_id = $1::integer order by position desc limit 1) newest on true`
}

/** `register-sections`: all stored sections; `wanted`: the names of the requested ones. */
export const findStoredState = (
  reading: UserRead,
  realm: RealmId,
  user: UserId,
  sections: ReadonlyArray<StoredSection>,
  wanted: ReadonlyArray<string>,
): Effect.Effect<StoredState, ApiError | Unavailable> =>
  Effect.map(reading.query(statementOf(sections), [realm, user, JSON.stringify(wanted)], "kept"), ([row]) =>
    readText(row?.["state"]),
  )
