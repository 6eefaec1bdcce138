/**
 * What register asks the database: the sections that no projection holds, together with the head of the log that the same
 * statement saw, so that events can go on from exactly there (I13).
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { RealmId, UserId } from "../../ids.ts"
import type { StoredSection } from "../kinds/section.ts"

const StoredState = Schema.Struct({
  /** The newest position, and the width of its row; 0 and 0 for an empty log. */
  head: Schema.Number,
  width: Schema.Number,
  /** What each wanted section holds, by its name. */
  values: Schema.Record(Schema.String, Schema.Unknown),
})
export type StoredState = typeof StoredState.Type
export const readStoredState = Schema.decodeUnknownSync(StoredState)
const readText = Schema.decodeUnknownSync(Schema.fromJsonString(StoredState))

/** One text whatever is wanted, so that it is prepared once. The functions are stable: they see what the statement sees. */
const statementOf = (sections: ReadonlyArray<StoredSection>): string => {
  const values = sections.map(
    ({ name, stored }) =>
      `'${name}', case when $3::text::jsonb ? '${name}' then ${stored}($1::integer, $2::integer) end`,
  )
  return `
    select json_build_object('head', coalesce(newest.position, 0), 'width', coalesce(newest.width, 0),
                             'values', json_build_object(${values.join(", ")}))::text as state
      from (values (1)) as always left join lateral (
        select position, width from log where realm_id = $1::integer order by position desc limit 1) newest on true`
}

/** `sections`: all stored ones that there are; `wanted`: the names of those that are asked for. */
export const findStoredState = (
  database: DatabaseShape,
  realm: RealmId,
  user: UserId,
  sections: ReadonlyArray<StoredSection>,
  wanted: ReadonlyArray<string>,
): Effect.Effect<StoredState, Unavailable> =>
  Effect.map(database.query(statementOf(sections), [realm, user, JSON.stringify(wanted)]), ([row]) =>
    readText(row?.["state"]),
  )
