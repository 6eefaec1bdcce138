/**
 * Reads of one moment, for what is read in many statements while others write: a connection of its own for each, in one
 * transaction that only reads. Few at once, because each may keep the database's processors busy for seconds.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Unavailable } from "../../api/errors.ts"
import type { DatabaseShape, Snapshot } from "../database.ts"
import { oneLine } from "../one-line.ts"
import { answerQuery, type StatementOutcome, textOf } from "../statement.ts"
import { ConnectionLost, openConnections, type PostgresConnections } from "./postgres-connections.ts"
import { judgeError } from "./postgres-errors.ts"

const atOnce = 2
const openMs = 5_000
/** A page of a large organization takes 20 ms; on a machine that does much else it may take long, and is waited for. */
const statementMs = 60_000
/** PostgreSQL's own timeout comes first. */
const watchdogMs = 65_000
const begin = "begin isolation level repeatable read read only"

const runWatched = (
  connections: PostgresConnections,
  lost: Promise<never>,
  sql: string,
  parameters: ReadonlyArray<string | null>,
) => {
  const watchdog = setTimeout(() => connections.drop("PostgreSQL does not answer a snapshot"), watchdogMs)
  return Promise.race([connections.run(sql, parameters), lost]).finally(() => clearTimeout(watchdog))
}

interface Opened {
  readonly query: Snapshot["query"]
  readonly end: () => Promise<void>
}

const open = async (url: string): Promise<Opened> => {
  let lose: (error: Error) => void = () => {}
  const lost = new Promise<never>((_, reject) => {
    lose = reject
  })
  // Only who waits for an answer is told.
  lost.catch(() => {})
  const connections = await openConnections({
    url,
    size: 1,
    openWithinMs: openMs,
    statementMs,
    onLost: (reason) => lose(new ConnectionLost(reason)),
  })
  try {
    await runWatched(connections, lost, begin, [])
  } catch (error) {
    connections.drop("a snapshot could not begin")
    throw error
  }
  return {
    query: (sql, parameters = []) =>
      Effect.promise(() =>
        runWatched(connections, lost, sql, parameters.map(textOf)).then(
          (rows): StatementOutcome => ({ kind: "rows", rows }),
          (error: unknown): StatementOutcome => judgeError(error).outcome,
        ),
      ).pipe(Effect.flatMap(answerQuery)),
    end: () => connections.end(),
  }
}

/** Snapshots of the database at `url`. */
export const snapshotsOf = (url: string): DatabaseShape["snapshot"] => {
  const turns = Semaphore.makeUnsafe(atOnce)
  const opened = Effect.tryPromise({
    try: () => open(url),
    catch: (error) => new Unavailable({ reason: oneLine(error) }),
  })
  return (use) =>
    turns.withPermits(1)(
      Effect.acquireUseRelease(
        opened,
        ({ query }) => use({ query }),
        ({ end }) => Effect.promise(end),
      ),
    )
}
