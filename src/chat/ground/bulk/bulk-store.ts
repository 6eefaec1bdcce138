/** Reads the unfinished commands over many items from their table (events/steps.sql writes them). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { RealmId } from "../../../ids.ts"

const Rows = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      realm_id: Schema.Number,
      id: Schema.String,
      kind: Schema.String,
      args: Schema.Unknown,
      done: Schema.Number,
    }),
  ),
)

export interface UnfinishedCommand {
  readonly realm: RealmId
  readonly id: string
  readonly kind: string
  readonly args: unknown
  /** The number of items done so far: the index of the next one. */
  readonly done: number
}

/** All unfinished commands, the oldest first. */
export const listUnfinished = (database: DatabaseShape): Effect.Effect<ReadonlyArray<UnfinishedCommand>, Unavailable> =>
  Effect.map(
    database.query("select realm_id, id, kind, args, done from unfinished_work order by at, realm_id, id"),
    (rows) => Rows(rows).map(({ realm_id, ...row }) => ({ ...row, realm: RealmId(realm_id) })),
  )
