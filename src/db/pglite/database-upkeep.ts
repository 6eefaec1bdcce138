/**
 * The tasks of a PostgreSQL server's background processes, which PGlite lacks: checkpoints, VACUUM and ANALYZE. Without
 * them the WAL grew to 2.3 GB and the next boot took 8 s. Runs between statements in PGlite's thread (pglite-worker);
 * it never throws: a step that fails is tried again at the next occasion.
 */
import { statfsSync } from "node:fs"
import type { PGlite } from "@electric-sql/pglite"
import { oneLine } from "../one-line.ts"
import type { FromWorker, UpkeepKind } from "./pglite-messages.ts"

/**
 * Bytes of WAL after which even a busy database stops for a checkpoint: 26 ms while messages are moved, where twice the
 * bytes take 40 and eight times 80, because nearly all of the buffers are changed by then. Moves and sends take as long.
 */
const walLimit = 8 * 1024 * 1024
/**
 * The limit where the last checkpoint was less than `soonMs` ago. Who deletes messages of all over a table writes its pages anew
 * after each checkpoint: 8 MB for 500 of them, so that one second in seven went into checkpoints.
 */
const walLimitSoon = 4 * walLimit
const soonMs = 5_000
/** A pause of `idleMs` is used for a checkpoint only if it saves this much; after `quietMs` anything is written. */
const walWorthwhile = 4 * 1024 * 1024
/** Reading the WAL position costs 0.4 ms, so not at every statement; 16 large commits write some 5 MB. */
const statementsBetweenLooks = 16
const vacuumEveryMs = 60_000
const vacuumPauseMs = 5_000
/** Without any pause a table is vacuumed between two statements all the same. */
const vacuumOverdueMs = 300_000

/**
 * Bytes that the folder's disk must have left: a checkpoint that fails for want of a small file stops PGlite for a minute,
 * until its thread is given up, although reads go on beside a full disk.
 */
const leastRoom = 1024 * 1024
const hasRoom = (folder: string): boolean => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= leastRoom
}

export const idleMs = 100
export const quietMs = 10_000

const walPosition = "select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes"

/** The thresholds of autovacuum and autoanalyze, one table at a time, the worst first. */
const tableInNeed = `
  select format('%I.%I', schemaname, relname) as name
  from pg_stat_user_tables
  where n_dead_tup > 50 + 0.2 * n_live_tup or n_mod_since_analyze > 50 + 0.1 * n_live_tup
  order by n_dead_tup + n_mod_since_analyze desc
  limit 1`

/** `folder`: that of the database. `kind`: which of these tasks there are. */
export const makeUpkeep = (
  database: PGlite,
  folder: string,
  say: (message: FromWorker) => void,
  kind: UpkeepKind = "all",
) => {
  let isHeld = kind === "none"
  let statements = 0
  let checkpointAt = 0
  let checkpointMs = Number.NEGATIVE_INFINITY
  /** Not by the machine's clock: once set back, it would keep the next VACUUM away. */
  let vacuumedAt = performance.now()

  const announced = async (command: string): Promise<void> => {
    say({ kind: "upkeep", running: true })
    await database.exec(command).finally(() => say({ kind: "upkeep", running: false }))
  }

  const checkpointIfAbove = async (limit: number): Promise<void> => {
    const { rows } = await database.query<{ bytes: number }>(walPosition)
    const written = (rows[0]?.bytes ?? 0) - checkpointAt
    if (written <= limit) return
    await announced("checkpoint")
    const after = await database.query<{ bytes: number }>(walPosition)
    checkpointAt = after.rows[0]?.bytes ?? 0
    checkpointMs = performance.now()
  }

  const vacuumOne = async (): Promise<void> => {
    const { rows } = await database.query<{ name: string }>(tableInNeed)
    const table = rows[0]?.name
    // The next table has its turn in a pause some seconds later.
    vacuumedAt = table === undefined ? performance.now() : performance.now() - vacuumEveryMs + vacuumPauseMs
    if (table === undefined) return
    await announced(`vacuum (analyze) ${table}`)
  }

  const isVacuumDue = (everyMs: number): boolean => kind === "all" && performance.now() - vacuumedAt > everyMs

  const quietly = async (step: () => Promise<void>): Promise<void> => {
    if (isHeld) return
    const runWithRoom = async (): Promise<boolean> => {
      const may = hasRoom(folder)
      if (may) await step()
      return may
    }
    await runWithRoom().then(
      (isDone) => {
        if (isDone) say({ kind: "upkeep-done" })
      },
      (error: unknown) => say({ kind: "upkeep-failed", reason: oneLine(error) }),
    )
  }

  return {
    /** Called after every statement; nearly always does nothing. */
    betweenStatements: async (): Promise<void> => {
      statements += 1
      if (statements < statementsBetweenLooks) return
      statements = 0
      const isSoon = performance.now() - checkpointMs < soonMs
      await quietly(() => checkpointIfAbove(isSoon ? walLimitSoon : walLimit))
      if (isVacuumDue(vacuumOverdueMs)) await quietly(vacuumOne)
    },
    /** Called after `idleMs` without a statement. Does one task at most, so that the next statement waits little. */
    idle: async (): Promise<void> => {
      if (isVacuumDue(vacuumEveryMs)) await quietly(vacuumOne)
      else await quietly(() => checkpointIfAbove(walWorthwhile))
    },
    /** Called after `quietMs` without a statement: checkpoints, so that the next start has no WAL to replay. */
    quiet: (): Promise<void> => quietly(() => checkpointIfAbove(0)),
    /** While it is held, nothing is done: the files are being copied (copy-cluster.ts). */
    hold: (held: boolean): void => {
      isHeld = held || kind === "none"
    },
  }
}
