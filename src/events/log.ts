/**
 * Reads the log of a realm from the database: committed rows, in order, with the content of messages joined in.
 * Used to catch up, to rebuild the ring, and for queues whose past the ring no longer holds.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Unavailable } from "../api/errors.ts"
import type { DatabaseShape, Parameter, Row, StatementPlan } from "../db/database.ts"
import { Position, QueueId, type RealmId } from "../ids.ts"
import { type JsonObject, parseJson } from "../json.ts"
import type { Audience } from "./audience.ts"
import { type LogRow, rowAudience } from "./event.ts"

/** Rows of a page at most, and about how many bytes: reading one takes the embedded database up to 20 ms. */
export const pageRows = 500
export const pageBytes = 512 * 1024

export interface LogPage {
  /** The lowest position that the log still holds; null for an empty log. */
  readonly oldest: number | null
  readonly rows: ReadonlyArray<LogRow>
}

/** A row of the log as JSON, as the SQL functions return it (log.sql). */
type WireRow = readonly [
  position: number,
  type: string,
  payload: JsonObject,
  audience: Audience,
  width: number,
  queueId: string | null,
  localId: string | null,
  at: number,
  raw: string | null,
  rendered: string | null,
]

const isTextOrNull = (value: unknown): value is string | null => value === null || Predicate.isString(value)

// Payloads and audiences are written by this program only; their types are checked where they are made. By hand, because
// it is done for each message: a schema took 3 % of the server's time at full load.
const isWireRow = (value: unknown): value is WireRow => {
  if (!Array.isArray(value) || value.length !== 10) return false
  const [position, type, payload, audience, width, queueId, localId, at, raw, rendered] = value
  return (
    [position, width, at].every(Number.isSafeInteger) &&
    Predicate.isString(type) &&
    Predicate.isObject(payload) &&
    Predicate.isObject(audience) &&
    Predicate.isString(audience["kind"]) &&
    [queueId, localId, raw, rendered].every(isTextOrNull)
  )
}

/** Decodes rows from an answer of the database; null where it is not a list of rows. */
export const readWireRows = (value: unknown): ReadonlyArray<LogRow> | null =>
  Array.isArray(value) && value.every(isWireRow) ? value.map(rowOf) : null

/** Between the JSON texts of rows: they can be read as a list, and JSON itself has no line feed, so they can be divided. */
export const betweenRows = ",\n"

/** The same from their JSON texts. */
export const readRowLines = (text: string): ReadonlyArray<LogRow> | null => readWireRows(parseJson(`[${text}]`))

const readPage = (text: unknown): LogPage => {
  const page: unknown = JSON.parse(String(text))
  const oldest = Predicate.isObject(page) ? page["oldest"] : undefined
  const rows = Predicate.isObject(page) ? readWireRows(page["rows"]) : null
  if (rows === null || (oldest !== null && !Predicate.isNumber(oldest)))
    throw new Error("the database answered something else than a page of the log")
  return { oldest, rows }
}

/** Overhead of a row's objects in memory, measured with 583-byte messages. */
const rowOverhead = 900

/** Size of payload and audience, which are large where a row names many users. */
const listed = (payload: JsonObject, audience: Audience): number =>
  JSON.stringify(payload).length + (audience.kind === "users" ? 8 * audience.users.length : 0)

const rowOf = (wire: WireRow): LogRow => {
  const [position, type, payload, audience, width, queueId, localId, at, raw, rendered] = wire
  return {
    position: Position(position),
    type,
    payload,
    audience: rowAudience(audience),
    width,
    origin: queueId === null || localId === null ? null : { queueId: QueueId(queueId), localId },
    at,
    content: raw === null || rendered === null ? null : { raw, rendered },
    bytes: rowOverhead + 2 * ((raw?.length ?? 0) + (rendered?.length ?? 0)) + 4 * listed(payload, audience),
  }
}

/** Rows (after, through] of a realm, at most a page of them. `source`: the database, or a user's read of it. */
export const readRows = <E>(
  source: {
    readonly query: (
      sql: string,
      parameters: ReadonlyArray<Parameter>,
      plan: StatementPlan,
    ) => Effect.Effect<ReadonlyArray<Row>, E>
  },
  realm: RealmId,
  after: number,
  through: number,
): Effect.Effect<LogPage, E> =>
  Effect.map(
    source.query(
      "select log_rows_v1($1, $2, $3, $4, $5) as page",
      [realm, after, through, pageRows, pageBytes],
      "kept",
    ),
    (rows) => readPage(rows[0]?.["page"]),
  )

/** The newest position, read now. */
export const readHead = (database: DatabaseShape, realm: RealmId): Effect.Effect<number, Unavailable> =>
  Effect.map(database.query("select log_head_v1($1) as head", [realm]), (rows) => Number(rows[0]?.["head"]))
