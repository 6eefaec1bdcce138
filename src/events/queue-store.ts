/**
 * The table of event queues: what a client asked for at register, and the last event id it has acknowledged. The table
 * is not part of the log, and each statement may be repeated.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { OutcomeUnknown, type Unavailable } from "../api/errors.ts"
import type { ClockShape } from "../clock.ts"
import type { DatabaseShape } from "../db/database.ts"
import { QueueId, RealmId, UserId, WireId } from "../ids.ts"
import type { JsonObject } from "../json.ts"

export interface StoredQueue {
  readonly id: QueueId
  readonly user: UserId
  /** The options that its client gave at register, which the chat part decodes into a QueueSpec. */
  readonly description: JsonObject
  readonly acked: WireId
  readonly idleMilliseconds: number
  /** Its last use that is stored, in milliseconds of servers' running time. */
  readonly seen: number
  /** The process that has it, where several serve the database. */
  readonly heldBy: string | null
  /** When the request came by which it has it, as in a mark. */
  readonly heldSince: number
}

/** A queue's progress, to be stored. `seen` is its last use, in milliseconds of servers' running time. */
export interface QueueMark {
  readonly id: QueueId
  readonly acked: WireId
  readonly seen: number
  /** When the last request for it came, by the database's clock, in microseconds; 0 where a process is alone. */
  readonly since: number
  readonly connected: boolean
}

/** Who stores it, and who else may have queues. */
export interface QueueHolders {
  /** This process; null: it is alone. */
  readonly holder: string | null
  /** The processes that live. */
  readonly living: ReadonlyArray<string>
}

/** A queue of the same user that is in memory, where its last use is known better than in the table. */
export interface KnownQueue {
  readonly id: QueueId
  readonly used: number
  readonly connected: boolean
}

/** Queues that do not exist any more: ended to make room for the new one, or (`surplus` false) not in the table. */
export type EndedQueues = ReadonlyArray<{ readonly id: string; readonly surplus: boolean }>

/**
 * Stores a new queue. If its user has `most` queues already, the one that was used longest ago ends, of those without a
 * connection if there are any. `known` are the user's queues in memory; one that the table lacks is answered, too, in
 * case an earlier answer was lost.
 */
export const insertQueue = (
  database: DatabaseShape,
  realm: RealmId,
  queue: StoredQueue,
  {
    most,
    known,
    living,
  }: Pick<QueueHolders, "living"> & {
    readonly most: number
    readonly known: ReadonlyArray<KnownQueue>
  },
): Effect.Effect<EndedQueues, Unavailable> =>
  Effect.map(
    database.query(
      `with known as (
         select * from jsonb_to_recordset($8::text::jsonb) as k(id text, used bigint, connected boolean)
       ), others as (
         select q.id, coalesce(k.used, q.seen) as used,
                coalesce(k.connected, q.connected and $11::text::jsonb ? q.held_by, false) as connected
           from event_queue q left join known k on k.id = q.id
          where q.realm_id = $1 and q.user_id = $3 and q.id <> $2
       ), surplus as (
         select id from others order by connected, used, id
          limit greatest(0, (select count(*) from others) - $9::integer + 1)
       ), ended as (
         delete from event_queue q using surplus s where q.realm_id = $1 and q.id = s.id
       ), made as (
         insert into event_queue (realm_id, id, user_id, description, acked, idle_ms, seen, held_by, held_since)
         values ($1, $2, $3, $4::text::jsonb, $5, $6, $7, $10, $12) on conflict do nothing
       )
       select id, true as surplus from surplus
       union all select id, false from known where id not in (select id from others)`,
      [
        realm,
        queue.id,
        queue.user,
        JSON.stringify(queue.description),
        queue.acked,
        queue.idleMilliseconds,
        queue.seen,
        JSON.stringify(known),
        most,
        queue.heldBy,
        JSON.stringify(living),
        queue.heldSince,
      ],
      "kept",
    ),
    (rows) => rows.map((row) => ({ id: String(row["id"]), surplus: row["surplus"] === true })),
  )

const Loaded = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    user_id: Schema.Number,
    description: Schema.declare((value: unknown): value is JsonObject => typeof value === "object" && value !== null),
    acked: Schema.Number,
    idle_ms: Schema.Number,
    seen: Schema.Number,
    held_by: Schema.NullOr(Schema.String),
    held_since: Schema.Number,
  }),
)
const decodeLoaded = Schema.decodeUnknownSync(Loaded)

/**
 * Most queues are only read: to write the rows of ten thousand at the moment when their clients return would keep commits
 * waiting, and `saveMarks` stores their use soon. One that has used up half of its idle time is written here, so that no
 * sweep deletes it before that. The ids are one array, because the planner takes that for few rows: joined with a list, it
 * read the whole table for 32 queues where it had not been analyzed since they came, 10 ms with ten thousand.
 */
export const loadSql = `with wanted as (
    select array(select jsonb_array_elements_text($2::text::jsonb)) as ids
  ), late as (
    update event_queue set seen = $3
     where realm_id = $1 and id = any((select ids from wanted)::text[]) and seen + idle_ms / 2 < $3
    returning id, user_id, description, acked, idle_ms, seen, held_by, held_since
  )
  select id, user_id, description, acked, idle_ms, seen, held_by, held_since from event_queue
   where realm_id = $1 and id = any((select ids from wanted)::text[]) and seen + idle_ms / 2 >= $3
  union all select id, user_id, description, acked, idle_ms, seen, held_by, held_since from late`

/** Loads queues by id. `now`: in milliseconds of servers' running time. */
export const loadQueues = (
  database: DatabaseShape,
  realm: RealmId,
  ids: ReadonlyArray<string>,
  now: number,
): Effect.Effect<ReadonlyArray<StoredQueue>, Unavailable> =>
  Effect.map(database.query(loadSql, [realm, JSON.stringify(ids), now], "kept"), (rows) =>
    decodeLoaded(rows).map((row) => ({
      id: QueueId(row.id),
      user: UserId(row.user_id),
      description: row.description,
      acked: WireId(row.acked),
      idleMilliseconds: row.idle_ms,
      seen: row.seen,
      heldBy: row.held_by,
      heldSince: row.held_since,
    })),
  )

/** A queue that this process does not have any more: another one has it, or it is gone. */
export interface LostQueue {
  readonly id: string
  readonly exists: boolean
}

/**
 * Only the process writes that has the queue by the newest request; it is told which ones it has not any more. One that is alone
 * writes all.
 */
export const saveMarks = (
  database: DatabaseShape,
  realm: RealmId,
  marks: ReadonlyArray<QueueMark>,
  holder: string | null,
): Effect.Effect<ReadonlyArray<LostQueue>, Unavailable> =>
  Effect.map(
    database.query(
      `with m as (
         select * from jsonb_to_recordset($2::text::jsonb)
             as m(id text, acked bigint, seen bigint, since bigint, connected boolean)
       ), saved as (
         update event_queue q set acked = greatest(q.acked, m.acked), seen = greatest(q.seen, m.seen),
                held_by = $3, held_since = m.since, connected = m.connected
           from m
          where q.realm_id = $1 and q.id = m.id and ($3::text is null or q.held_since <= m.since)
         returning q.id
       )
       select m.id, q.id is not null as exists from m left join event_queue q on q.realm_id = $1 and q.id = m.id
        where $3::text is not null and m.id not in (select id from saved)`,
      [realm, JSON.stringify(marks), holder],
      "kept",
    ),
    (rows) => rows.map((row) => ({ id: String(row["id"]), exists: row["exists"] === true })),
  )

/** Always returns a row, because `write` takes an answer without rows for an unknown outcome. */
const deleteSql = `with gone as (delete from event_queue where realm_id = $1 and id = $2 returning 1)
  select count(*) as gone from gone`

/** Milliseconds that a requester waits for a deletion whose answer was lost, before its connection is cut. */
const patienceMilliseconds = 30_000
const retryMilliseconds = 100
/** In real time, because the database is waited for. The timer does not keep a stopping process alive. */
const pause = Effect.promise(() => new Promise<void>((resolve) => void setTimeout(resolve, retryMilliseconds).unref()))

/**
 * Deletes a queue; one that does not exist counts as deleted. Where the answer is lost, the deletion is repeated until
 * an answer comes, so that `Unavailable` means that the queue certainly still exists.
 */
export const deleteQueue = Effect.fnUntraced(function* (
  database: DatabaseShape,
  clock: ClockShape,
  realm: RealmId,
  id: QueueId,
): Effect.fn.Return<void, Unavailable | OutcomeUnknown> {
  const attempt = () =>
    Effect.result(Effect.catchTag(database.write(deleteSql, [realm, id]), "Rejected", (refusal) => Effect.die(refusal)))
  const first = yield* attempt()
  if (first._tag === "Success") return
  if (first.failure._tag === "Unavailable") return yield* first.failure
  let isPatient = true
  const patience = clock.after(patienceMilliseconds, () => {
    isPatient = false
  })
  while (isPatient) {
    yield* pause
    if ((yield* attempt())._tag === "Success") return patience.cancel()
  }
  return yield* new OutcomeUnknown({ reason: "nobody could find out in time whether the queue was deleted" })
})

/**
 * Deletes queues that were not used within their idle time, except those in `spared` and those that another process has which lives,
 * with a connection; answers their ids.
 */
export const deleteExpired = (
  database: DatabaseShape,
  realm: RealmId,
  running: number,
  spared: ReadonlyArray<QueueId>,
  living: ReadonlyArray<string>,
): Effect.Effect<ReadonlyArray<string>, Unavailable> =>
  Effect.map(
    database.query(
      `delete from event_queue where realm_id = $1 and seen + idle_ms < $2
          and id not in (select jsonb_array_elements_text($3::text::jsonb))
          and not coalesce(connected and $4::text::jsonb ? held_by, false) returning id`,
      [realm, running, JSON.stringify(spared), JSON.stringify(living)],
    ),
    (rows) => rows.map((row) => String(row["id"])),
  )

/** Organizations in use for which at least `least` clients may return any moment: those with the most queues first. */
export const findAwaited = (
  database: DatabaseShape,
  now: number,
  { least, most }: { readonly least: number; readonly most: number },
): Effect.Effect<ReadonlyArray<RealmId>, Unavailable> =>
  Effect.map(
    database.query(
      `select realm_id as realm from event_queue where seen + idle_ms >= $1
          and realm_id not in (select id from realm where (settings ->> 'deactivated')::boolean)
        group by realm_id having count(*) >= $2 order by count(*) desc, realm_id limit $3`,
      [now, least, most],
    ),
    (rows) => rows.map((row) => RealmId(Number(row["realm"]))),
  )
