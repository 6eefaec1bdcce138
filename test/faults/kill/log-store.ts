/**
 * The content of the database at the end of a kill test, read by a connection of the test's own: the log, the
 * messages, the spans by which audiences are judged, and what the queues asked for. It uses the driver, but nothing
 * of what turns rows into deliveries.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseConfig } from "../../../src/config/config.ts"
import { Database } from "../../../src/db/database.ts"
import { openDatabase } from "../../../src/db/open/open-database.ts"

const Audience = Schema.Struct({
  kind: Schema.Literals(["users", "subscribers", "holders", "channel", "realm", "members", "servers"]),
  users: Schema.optional(Schema.Array(Schema.Number)),
  channel: Schema.optional(Schema.Number),
  since: Schema.optional(Schema.Number),
  was: Schema.optional(
    Schema.Struct({ isPrivate: Schema.Boolean, isWebPublic: Schema.Boolean, historyShared: Schema.Boolean }),
  ),
  also: Schema.optional(Schema.Array(Schema.Number)),
  except: Schema.optional(Schema.Array(Schema.Number)),
})
export type Audience = typeof Audience.Type

const Row = Schema.Struct({
  position: Schema.Number,
  type: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Unknown),
  audience: Audience,
  width: Schema.Number,
  queue_id: Schema.NullOr(Schema.String),
  local_id: Schema.NullOr(Schema.String),
  content: Schema.NullOr(Schema.String),
  rendered: Schema.NullOr(Schema.String),
  sender_id: Schema.NullOr(Schema.Number),
  channel_id: Schema.NullOr(Schema.Number),
})
export type Row = typeof Row.Type

const Span = Schema.Struct({
  channel_id: Schema.Number,
  user_id: Schema.Number,
  opened: Schema.Number,
  closed: Schema.NullOr(Schema.Number),
})

const Queue = Schema.Struct({
  id: Schema.String,
  user_id: Schema.Number,
  description: Schema.Struct({
    event_types: Schema.NullOr(Schema.Array(Schema.String)),
    narrow: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    all_public_streams: Schema.Boolean,
    rendering: Schema.Struct({ rendered: Schema.Boolean }),
    state: Schema.Struct({ saw: Schema.Number, took: Schema.Number, types: Schema.Array(Schema.String) }),
  }),
})
export type StoredQueue = typeof Queue.Type

const Person = Schema.Struct({ user_id: Schema.Number, role: Schema.Number })
const Channel = Schema.Struct({ id: Schema.Number, name: Schema.String })

const decode = {
  rows: Schema.decodeUnknownSync(Schema.Array(Row)),
  spans: Schema.decodeUnknownSync(Schema.Array(Span)),
  queues: Schema.decodeUnknownSync(Schema.Array(Queue)),
  people: Schema.decodeUnknownSync(Schema.Array(Person)),
  channels: Schema.decodeUnknownSync(Schema.Array(Channel)),
}

export interface Truth {
  readonly rows: ReadonlyArray<Row>
  readonly spans: ReadonlyArray<typeof Span.Type>
  readonly queues: ReadonlyMap<string, StoredQueue>
  /** Roles do not change in these tests. */
  readonly roles: ReadonlyMap<number, number>
  readonly channels: ReadonlyMap<number, string>
  /** Ids of messages that no row of the log brought. */
  readonly strays: ReadonlyArray<number>
}

/** Called when the server has ended: PGlite lets one process open a folder. */
export const readTruth = (config: DatabaseConfig): Promise<Truth> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { query } = yield* Database
      const rows = yield* query(`select l.position, l.type, l.payload, l.audience, l.width, l.queue_id, l.local_id,
          m.content, m.rendered, m.sender_id, m.channel_id
        from log l left join message m on m.realm_id = l.realm_id and m.id = l.message_id
        where l.realm_id = 1 order by l.position`)
      const spans = yield* query("select channel_id, user_id, opened, closed from subscription_span where realm_id = 1")
      const queues = yield* query("select id, user_id, description from event_queue where realm_id = 1")
      const people = yield* query("select user_id, role from role_span where realm_id = 1 and closed is null")
      const channels = yield* query("select id, name from channel where realm_id = 1")
      const strays = yield* query(`select m.id from message m where m.realm_id = 1 and not exists
        (select from log l where l.realm_id = 1 and l.position = m.id and l.message_id = m.id and l.type = 'message')`)
      return {
        rows: decode.rows(rows),
        spans: decode.spans(spans),
        queues: new Map(decode.queues(queues).map((queue) => [queue.id, queue])),
        roles: new Map(decode.people(people).map(({ user_id, role }) => [user_id, role])),
        channels: new Map(decode.channels(channels).map(({ id, name }) => [id, name])),
        strays: strays.map((row) => Number(row["id"])),
      }
    }).pipe(Effect.provide(openDatabase(config))),
  )
