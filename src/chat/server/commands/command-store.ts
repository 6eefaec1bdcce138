/** The rows of `server_command`: how a command reaches a server on another machine (schema.sql). Times are the database's. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"

type QueryDatabase = Pick<DatabaseShape, "query">

const now = "(extract(epoch from clock_timestamp()) * 1000)::bigint"

const add = `insert into server_command (id, command, created_at) values ($1, $2, ${now}) on conflict do nothing`

/** Rows that their asker has not removed are of no use after these milliseconds. */
const keptMilliseconds = 10 * 60_000
const rowsAtOnce = 10

const forget = `delete from server_command where created_at < ${now} - $1`

const take = `update server_command set taken_at = ${now}
  where id in (
    select id from server_command where taken_at is null order by created_at limit $1 for update skip locked)
  returning id, command`

export const addCommand = (database: QueryDatabase, id: string, command: string): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query(add, [id, command]))

const Taken = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.String, command: Schema.String })))

/** Takes rows up that nobody has taken, and removes what is old: what was left there is not done hours later. */
export const takeCommands = Effect.fnUntraced(function* (database: QueryDatabase) {
  yield* database.query(forget, [keptMilliseconds])
  return Taken(yield* database.query(take, [rowsAtOnce]))
})

export const answerCommand = (database: QueryDatabase, id: string, answer: string): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("update server_command set answer = $2 where id = $1", [id, answer]))

/** null: there is none yet. */
export const findAnswer = (database: QueryDatabase, id: string): Effect.Effect<string | null, Unavailable> =>
  Effect.map(database.query("select answer from server_command where id = $1", [id]), ([row]) =>
    typeof row?.["answer"] === "string" ? row["answer"] : null,
  )

export const removeCommand = (database: QueryDatabase, id: string): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("delete from server_command where id = $1", [id]))

/** Takes a command back; false where a server has taken it up, or has done it. */
export const withdrawCommand = (database: QueryDatabase, id: string): Effect.Effect<boolean, Unavailable> =>
  Effect.map(
    database.query("delete from server_command where id = $1 and taken_at is null returning id", [id]),
    (rows) => rows.length > 0,
  )
