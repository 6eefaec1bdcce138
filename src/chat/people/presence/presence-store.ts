/** Stores presences, and reads what other processes have stored. The statements may be repeated. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import type { UnsavedPresences } from "../../ground/presences/presences.ts"
import { HeardPresences } from "./presence-notes.ts"

/** `position`: of the log, when this was so. */
export const savePresences = (
  database: DatabaseShape,
  realm: RealmId,
  { changes, gone }: UnsavedPresences,
  position: number,
): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(
    database.query(
      "select save_presence_v2($1, $2::text::jsonb, $3::text::jsonb, $4)",
      [realm, JSON.stringify(changes), JSON.stringify(gone), position],
      "kept",
    ),
  )

const readChanged = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, HeardPresences)))

/** By organization, what any process has stored that was learned after a time, in milliseconds. */
export const readChangedPresences = (
  database: DatabaseShape,
  realms: ReadonlyArray<RealmId>,
  after: number,
): Effect.Effect<Readonly<Record<string, HeardPresences>>, Unavailable> =>
  Effect.map(
    database.query("select changed_presence_v1($1::text::jsonb, $2)::text as changed", [
      JSON.stringify(realms),
      Math.floor(after),
    ]),
    ([row]) => readChanged(row?.["changed"]),
  )
