/**
 * Reads the log of a realm from the database: committed rows, in order, with the content of messages joined in.
 * Used to catch up, to rebuild the ring, and for queues whose past the ring no longer holds.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../db/database.ts"
import type { Unavailable } from "../errors.ts"
import { Position, QueueId, type RealmId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import type { Audience, LogRow } from "./event.ts"

/** Rows of a page at most, and about how many bytes. */
export const pageRows = 1000
export const pageBytes = 1024 * 1024

export interface LogPage {
  /** The lowest position that the log still holds; null for an empty log. */
  readonly oldest: number | null
  readonly rows: ReadonlyArray<LogRow>
}

// Payloads and audiences are written by this program only; their types are checked where they are made.
const WireRow = Schema.Tuple([
  Schema.Number,
  Schema.String,
  Schema.declare((value: unknown): value is JsonObject => typeof value === "object" && value !== null),
  Schema.declare((value: unknown): value is Audience => typeof value === "object" && value !== null && "kind" in value),
  Schema.Number,
  Schema.NullOr(Schema.String),
  Schema.NullOr(Schema.String),
  Schema.Number,
  Schema.NullOr(Schema.String),
  Schema.NullOr(Schema.String),
])
export const WireRows = Schema.Array(WireRow)

const decodePage = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ oldest: Schema.NullOr(Schema.Number), rows: WireRows })),
)

/** Overhead of a row's objects in memory, measured with 583-byte messages. */
const rowOverhead = 900

/** Length of the JSON beside the content: long where a row names many people. */
const listed = (payload: JsonObject, audience: Audience): number =>
  JSON.stringify(payload).length + (audience.kind === "users" ? 8 * audience.users.length : 0)

export const rowOf = (wire: (typeof WireRows.Type)[number]): LogRow => {
  const [position, type, payload, audience, width, queueId, localId, at, raw, rendered] = wire
  return {
    position: Position(position),
    type,
    payload,
    audience,
    width,
    origin: queueId === null || localId === null ? null : { queueId: QueueId(queueId), localId },
    at,
    content: raw === null || rendered === null ? null : { raw, rendered },
    bytes: rowOverhead + 2 * ((raw?.length ?? 0) + (rendered?.length ?? 0)) + 4 * listed(payload, audience),
  }
}

/** Rows (after, through] of a realm, at most a page of them. */
export const readRows = (
  database: DatabaseShape,
  realm: RealmId,
  after: number,
  through: number,
): Effect.Effect<LogPage, Unavailable> =>
  Effect.map(
    database.query("select log_rows_v1($1, $2, $3, $4, $5) as page", [realm, after, through, pageRows, pageBytes]),
    (rows) => {
      const page = decodePage(rows[0]?.["page"])
      return { oldest: page.oldest, rows: page.rows.map(rowOf) }
    },
  )

/** The newest position, read now. */
export const readHead = (database: DatabaseShape, realm: RealmId): Effect.Effect<number, Unavailable> =>
  Effect.map(database.query("select log_head_v1($1) as head", [realm]), (rows) => Number(rows[0]?.["head"]))
