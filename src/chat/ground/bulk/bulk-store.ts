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

/** A process among several, in whose name commands are claimed; `now`, `until`: milliseconds of the database's clock. */
export interface WorkClaim {
  readonly process: string
  readonly now: number
  readonly until: number
}

type Work = Pick<UnfinishedCommand, "realm" | "id">

/** All unfinished commands, the oldest first. */
export const listUnfinished = (database: DatabaseShape): Effect.Effect<ReadonlyArray<UnfinishedCommand>, Unavailable> =>
  Effect.map(
    database.query("select realm_id, id, kind, args, done from unfinished_work order by at, realm_id, id"),
    (rows) => Rows(rows).map(({ realm_id, ...row }) => ({ ...row, realm: RealmId(realm_id) })),
  )

/** Claims one unless another process is at it or it is finished; answers the number of items done so far, or null. */
export const takeWork = (database: DatabaseShape, { realm, id }: Work, { process, now, until }: WorkClaim) =>
  Effect.map(
    database.query(
      `update unfinished_work set claimed_by = $3, claimed_until = $5::bigint
        where realm_id = $1 and id = $2 and (claimed_by is null or claimed_by = $3 or claimed_until <= $4::bigint)
       returning done`,
      [realm, id, process, now, until],
    ),
    ([row]) => (row === undefined ? null : Number(row["done"])),
  )

export const renewWork = (
  database: DatabaseShape,
  { realm, id }: Work,
  { process, until }: Pick<WorkClaim, "process" | "until">,
) =>
  database.query(
    "update unfinished_work set claimed_until = $4::bigint where realm_id = $1 and id = $2 and claimed_by = $3",
    [realm, id, process, until],
  )

/** How many items are done of a command; null: it is finished. */
export const findProgress = (database: DatabaseShape, { realm, id }: Work) =>
  Effect.map(
    database.query("select done from unfinished_work where realm_id = $1 and id = $2", [realm, id]),
    ([row]) => (row === undefined ? null : Number(row["done"])),
  )
