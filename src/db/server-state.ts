/**
 * A starting server takes the database over before it serves: it becomes the holder that every commit must name, it
 * reads how long servers have run, and it decides whether the log's past can still be trusted. An untrusted
 * past ends all queues: their realms get a new log epoch. Called by uptime.ts; a job of chat/server/runtime asks whether this server
 * still holds the database, chat/server/setup/realm-create.ts makes an epoch.
 */
import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"
import * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { DatabaseShape } from "./database.ts"

/** An id of the machine's current boot; where the system has none, the minute of the boot. */
const bootId = (): string => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return `boot-${Math.round((Date.now() / 1000 - uptime()) / 60)}`
  }
}

/**
 * PostgreSQL: changes when another cluster, another timeline or another database answers. The timeline is that of the log that
 * is written: a standby that was promoted a moment ago has not yet written the new one to its control file.
 */
export const postgresTrust = `(select system_identifier from pg_control_system()) || '/' ||
  case when pg_is_in_recovery() then (select timeline_id from pg_control_checkpoint())
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer end || '/' ||
  (select oid from pg_database where datname = current_database())`

export const newEpoch = (): string => randomBytes(5).toString("hex")

export const readTrust = (database: DatabaseShape): Effect.Effect<string, Unavailable> =>
  database.kind === "pglite"
    ? Effect.sync(bootId)
    : Effect.map(database.query(`select ${postgresTrust} as trust`), (rows) => String(rows[0]?.["trust"]))

/** Makes this server the holder. Answers the milliseconds that servers have run on this database so far. */
export const takeOver = Effect.fnUntraced(function* (database: DatabaseShape) {
  const trust = yield* readTrust(database)
  const [state] = yield* database.query("select ran_for, trust from server_state")
  const known = String(state?.["trust"] ?? "")
  // A crash of the machine, not of the process, may have taken rows of an embedded database that was not synced.
  const changed = known !== "" && known !== trust
  const { durability } = database
  const untrusted = durability.isCopy || (changed && !durability.lostNothing)
  if (untrusted) {
    yield* database.query("delete from event_queue")
    const realms = yield* database.query("select id from realm")
    for (const realm of realms) {
      yield* database.query("update realm set epoch = $2 where id = $1", [Number(realm["id"]), newEpoch()])
    }
  }
  yield* database.query("update realm_lock set holder = $1", [database.holder])
  // Nobody else serves, so what this program writes is known to all; an older one may join no more.
  const spoken = "speaks = greatest(speaks, (select max(version) from schema_migrations))"
  yield* database.query(`update server_state set trust = $1, ${spoken}`, [trust])
  yield* durability.begin
  return Number(state?.["ran_for"] ?? 0)
})

/** Whether this server is still the holder. */
export const isHolder = (database: DatabaseShape): Effect.Effect<boolean, Unavailable> =>
  Effect.map(
    database.query("select coalesce(bool_and(holder = $1), true) as holds from realm_lock", [database.holder]),
    ([row]) => row?.["holds"] === true,
  )

/** Saved from time to time and at the end. A crash loses a few seconds, which only lets queues live longer. */
export const saveRunning = (database: DatabaseShape, ranFor: number): Effect.Effect<void, Unavailable> =>
  Effect.asVoid(database.query("update server_state set ran_for = greatest(ran_for, $1)", [ranFor]))
