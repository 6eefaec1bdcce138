/**
 * PostgreSQL through postgres.js. Statements wait in a queue of our own for a free connection, so that it is known
 * which were sent; each sent one has a watchdog. A failure of any connection drops all of them: sent statements have
 * an unknown outcome, waiting ones were certainly not sent, and a new generation of connections is tried every 200 ms
 * until one is open. Neither migrates nor holds the database: open.ts does.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Database } from "./database.ts"
import { DatabaseUnusable } from "./failures.ts"
import { oneLine } from "./one-line.ts"
import { ConnectionLost, type Connections, openConnections } from "./postgres-connections.ts"
import { judgeError, startFailure, willPass } from "./postgres-errors.ts"
import { type Channel, type Outcome, plainLog, Scripts, type Statement, serveChannel } from "./statement.ts"

export interface PostgresOptions {
  /** Connections, all opened at the start. One commit at a time per organization and short reads need few. */
  readonly size?: number
  /** How long a statement may take before its connections are taken for dead. */
  readonly statementMs?: number
  /** How long the first opening may take, starting servers included. */
  readonly openMs?: number
}

const defaults = { size: 8, statementMs: 10_000, openMs: 10_000 }
const scriptMs = 600_000
const reopenMs = 200
/** An attempt to reopen gets this long, and as much more after each that was too slow. */
const reopenAttemptMs = 1_000
/** PostgreSQL's own timeout comes first: then the statement is known to be undone and the connections stay. */
const serverShare = 0.8

interface Running {
  readonly channel: Channel
  readonly close: () => Promise<void>
}

/** Rejects like `openConnections` if the first opening fails. */
const startPostgres = async (url: string, options: PostgresOptions, log: (text: string) => void): Promise<Running> => {
  const { size, statementMs, openMs } = { ...defaults, ...options }
  const waiting: Array<Statement> = []
  let flights = new Set<(outcome: Outcome) => void>()
  let live: Connections | null = null
  let closed = false
  let lostAt = 0
  let reopening: NodeJS.Timeout | undefined

  const lose = (reason: string): void => {
    live = null
    const sent = flights
    flights = new Set()
    for (const land of sent) land({ kind: "unknown", reason })
    for (const statement of waiting.splice(0)) statement.settle({ kind: "not-done", reason })
    if (closed) return
    log(`PostgreSQL is lost: ${reason}`)
    lostAt = performance.now()
    reopening = setTimeout(reopen, 0, reopenAttemptMs)
  }

  const open = async (openWithinMs: number): Promise<void> => {
    const state = { live: false, lost: false }
    const connections = await openConnections({
      url,
      size,
      openWithinMs,
      statementMs: Math.ceil(statementMs * serverShare),
      onLost: (reason) => {
        state.lost = true
        if (state.live) lose(reason)
      },
    })
    if (closed) return connections.end()
    if (state.lost) throw new ConnectionLost("lost while it was opened")
    state.live = true
    live = connections
    if (lostAt > 0) log(`PostgreSQL is back after ${Math.round(performance.now() - lostAt)} ms`)
  }

  const reopen = (withinMs: number): void => {
    const began = performance.now()
    open(withinMs).catch(() => {
      const slow = performance.now() - began >= withinMs
      const next = Math.min(slow ? withinMs + reopenAttemptMs : withinMs, openMs)
      if (!closed) reopening = setTimeout(reopen, slow ? 0 : reopenMs, next)
    })
  }

  const fly = (connections: Connections, statement: Statement): void => {
    const limit = statement.script ? scriptMs : statementMs
    const watchdog = setTimeout(() => connections.drop(`PostgreSQL did not answer within ${limit} ms`), limit)
    const land = (outcome: Outcome): void => {
      clearTimeout(watchdog)
      flights.delete(land)
      statement.settle(outcome)
    }
    flights.add(land)
    const { sql, parameters, script } = statement
    const running = script ? connections.runScript(sql).then(() => []) : connections.run(sql, parameters)
    running.then(
      (rows) => {
        if (flights.has(land)) land({ kind: "rows", rows })
        depart()
      },
      (error: unknown) => {
        const { outcome, lost } = judgeError(error)
        if (flights.has(land)) land(outcome)
        if (lost) connections.drop(oneLine(error))
        depart()
      },
    )
  }

  const depart = (): void => {
    while (live !== null && flights.size < size) {
      const next = waiting.shift()
      if (next === undefined) return
      if (!next.abandoned) fly(live, next)
    }
  }

  const channel: Channel = {
    up: () => live !== null,
    send: (statement) => {
      if (live === null) return statement.settle({ kind: "not-done", reason: "PostgreSQL is not reachable" })
      waiting.push(statement)
      depart()
    },
  }

  await open(openMs)
  return {
    channel,
    close: async () => {
      closed = true
      clearTimeout(reopening)
      const last = live
      live = null
      await last?.end()
    },
  }
}

/** Where an operator's URL points to, without its password. */
export const addressOf = (url: string): string => {
  const found = /^[a-z]+:\/\/(?:[^@/]*@)?([^/?]*)(\/[^?]*)?/i.exec(url)
  return found === null ? "an unreadable address" : `${found[1] || "localhost"}${found[2] ?? ""}`
}

/** Opens with `attempt`, again while the server is only starting up or full, for `openMs`. */
export const openAtStart = <A>(
  url: string,
  attempt: () => Promise<A>,
  openMs: number = defaults.openMs,
): Effect.Effect<A, DatabaseUnusable> =>
  Effect.tryPromise({ try: attempt, catch: (error) => error }).pipe(
    Effect.retry({ while: willPass, schedule: Schedule.spaced(reopenMs), times: Math.ceil(openMs / reopenMs) }),
    Effect.mapError((error) => new DatabaseUnusable({ message: startFailure(error, addressOf(url)) })),
  )

/** A `Database` on the PostgreSQL server at `url`, version 15 or newer. */
export const postgresLayer = (
  url: string,
  options: PostgresOptions = {},
): Layer.Layer<Database | Scripts, DatabaseUnusable> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const log = yield* plainLog
      const running = yield* Effect.acquireRelease(
        openAtStart(url, () => startPostgres(url, options, log), options.openMs),
        (started) => Effect.promise(started.close),
      )
      const { database, scripts } = serveChannel("postgres", running.channel)
      return Context.make(Database, database).pipe(Context.add(Scripts, scripts))
    }),
  )
