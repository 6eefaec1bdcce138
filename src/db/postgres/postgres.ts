/**
 * PostgreSQL through postgres.js. Statements wait in a queue of our own for a free connection, so that it is known
 * which were sent; each sent one has a watchdog. Users' reads have connections of their own, so that no number of them
 * delays a commit. A failure of any connection drops all of them: sent statements have an unknown outcome, waiting ones
 * were certainly not sent, and a new generation of connections is tried every 200 ms until one is open. Neither
 * migrates nor holds the database: open-database.ts does.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { Database } from "../database.ts"
import { oneLine } from "../one-line.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import {
  plainLog,
  Scripts,
  type SqlStatement,
  type StatementChannel,
  type StatementOutcome,
  serveChannel,
} from "../statement.ts"
import {
  ConnectionLost,
  type ConnectionsOptions,
  openConnections,
  type PostgresConnections,
} from "./postgres-connections.ts"
import { judgeError, startFailure, willPass } from "./postgres-errors.ts"
import { snapshotsOf } from "./postgres-snapshot.ts"

export interface PostgresOptions {
  /** Connections for everything but users' reads, all opened at the start: one commit at a time per organization. */
  readonly size?: number
  /** Connections for users' reads. Few: they share processors with the commits. */
  readonly readers?: number
  /** Milliseconds that a statement may take before its connections are taken for dead. */
  readonly statementMs?: number
  /** Milliseconds that a statement of a user's read may take before PostgreSQL cancels it. */
  readonly readMs?: number
  /** Milliseconds that the first opening may take, starting servers included. */
  readonly openMs?: number
  /** Called when an attempt to reopen has failed. For tests: nothing else shows it. */
  readonly onFailedAttempt?: () => void
}

const defaults = { size: 5, readers: 2, statementMs: 10_000, readMs: 5_000, openMs: 10_000 }
const scriptMs = 600_000
const reopenMs = 200
/** An attempt to reopen gets this long, and as much more after each that was too slow. */
const reopenAttemptMs = 1_000
/** PostgreSQL's own timeout comes first: then the statement is known to be undone and the connections stay. */
const serverShare = 0.8

interface RunningPostgres {
  readonly channel: StatementChannel
  readonly close: () => Promise<void>
}

/** One kind of statements: those that wait for one of its connections, and how many are sent. */
interface StatementLane {
  readonly size: number
  readonly statementMs: number
  readonly waiting: Array<SqlStatement>
  flying: number
}

const makeLane = (size: number, statementMs: number): StatementLane => ({ size, statementMs, waiting: [], flying: 0 })

type OpenedLanes = ReadonlyMap<StatementLane, PostgresConnections>

/** Opens the connections of all lanes, or none. */
const openLanes = async (
  lanes: ReadonlyArray<StatementLane>,
  rest: Omit<ConnectionsOptions, "size" | "statementMs">,
): Promise<OpenedLanes> => {
  const attempts = await Promise.allSettled(
    lanes.map(async (lane) => {
      const { size, statementMs } = lane
      return [lane, await openConnections({ ...rest, size, statementMs })] as const
    }),
  )
  const opened = new Map(attempts.flatMap((each) => (each.status === "fulfilled" ? [each.value] : [])))
  const failure = attempts.find((each) => each.status === "rejected")
  if (failure === undefined) return opened
  for (const connections of opened.values()) connections.drop("another connection could not be opened")
  throw failure.reason
}

/** Rejects like `openConnections` if the first opening fails. */
const startPostgres = async (
  url: string,
  options: PostgresOptions,
  log: (text: string) => void,
): Promise<RunningPostgres> => {
  const { size, readers, statementMs, readMs, openMs } = { ...defaults, ...options }
  const first = makeLane(size, Math.ceil(statementMs * serverShare))
  const reads = makeLane(readers, Math.ceil(Math.min(readMs, statementMs * serverShare)))
  const lanes = [first, reads]
  let flights = new Set<(outcome: StatementOutcome) => void>()
  let live: OpenedLanes | null = null
  let closed = false
  let lostAt = 0
  let reopening: NodeJS.Timeout | undefined
  /** Of the first connections. */
  let trust: string | null = null
  let tellReplaced: (why: string) => void = () => {}
  const replaced = new Promise<string>((resolve) => {
    tellReplaced = resolve
  })

  const lose = (reason: string): void => {
    const lost = live
    live = null
    for (const connections of lost?.values() ?? []) connections.drop(reason)
    const sent = flights
    flights = new Set()
    for (const lane of lanes) lane.flying = 0
    for (const land of sent) land({ kind: "unknown", reason })
    for (const { waiting } of lanes)
      for (const statement of waiting.splice(0)) statement.settle({ kind: "not-done", reason })
    if (closed) return
    log(`PostgreSQL is lost: ${reason}`)
    lostAt = performance.now()
    reopening = setTimeout(reopen, 0, reopenAttemptMs)
  }

  const open = async (openWithinMs: number): Promise<void> => {
    const state = { live: false, lost: false }
    const onLost = (reason: string): void => {
      state.lost = true
      if (!state.live) return
      state.live = false
      lose(reason)
    }
    const opened = await openLanes(lanes, { url, openWithinMs, onLost })
    if (closed) return void (await Promise.all([...opened.values()].map((each) => each.end())))
    if (state.lost) {
      for (const connections of opened.values()) connections.drop("lost while they were opened")
      throw new ConnectionLost("lost while it was opened")
    }
    const found = opened.get(first)?.trust ?? ""
    trust ??= found
    if (found !== trust) {
      closed = true
      for (const connections of opened.values()) connections.drop("another history of the database answers")
      tellReplaced("another history of the database answers than before: it was restored, or a standby was promoted")
      return
    }
    state.live = true
    live = opened
    if (lostAt > 0) log(`PostgreSQL is back after ${Math.round(performance.now() - lostAt)} ms`)
  }

  const reopen = (withinMs: number): void => {
    const began = performance.now()
    open(withinMs).catch(() => {
      options.onFailedAttempt?.()
      const slow = performance.now() - began >= withinMs
      const next = Math.min(slow ? withinMs + reopenAttemptMs : withinMs, openMs)
      if (!closed) reopening = setTimeout(reopen, slow ? 0 : reopenMs, next)
    })
  }

  const fly = (lane: StatementLane, connections: PostgresConnections, statement: SqlStatement): void => {
    const limit = statement.script ? scriptMs : statementMs
    const watchdog = setTimeout(() => connections.drop(`PostgreSQL did not answer within ${limit} ms`), limit)
    const land = (outcome: StatementOutcome): void => {
      clearTimeout(watchdog)
      flights.delete(land)
      statement.settle(outcome)
    }
    /** Not of one that was lost with its connections: those have been counted off. */
    const arrive = (outcome: StatementOutcome): void => {
      if (!flights.has(land)) return
      lane.flying -= 1
      land(outcome)
    }
    flights.add(land)
    lane.flying += 1
    const { sql, parameters, script } = statement
    const running = script ? connections.runScript(sql).then(() => []) : connections.run(sql, parameters)
    running.then(
      (rows) => {
        arrive({ kind: "rows", rows })
        depart(lane)
      },
      (error: unknown) => {
        const { outcome, lost } = judgeError(error)
        arrive(outcome)
        if (lost) connections.drop(oneLine(error))
        depart(lane)
      },
    )
  }

  const depart = (lane: StatementLane): void => {
    for (let opened = live?.get(lane); opened !== undefined && lane.flying < lane.size; opened = live?.get(lane)) {
      const next = lane.waiting.shift()
      if (next === undefined) return
      if (!next.abandoned) fly(lane, opened, next)
    }
  }

  const channel: StatementChannel = {
    up: () => live !== null,
    snapshot: snapshotsOf(url),
    replaced,
    send: (statement) => {
      if (live === null) return statement.settle({ kind: "not-done", reason: "PostgreSQL is not reachable" })
      const lane = statement.yields ? reads : first
      lane.waiting.push(statement)
      depart(lane)
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
      await Promise.all([...(last?.values() ?? [])].map((each) => each.end()))
    },
  }
}

/** The address in an operator's URL, without its password. */
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

/** A channel to the PostgreSQL server at `url`, version 15 or newer. Its scope's end ends the sessions. */
export const postgresChannel = Effect.fnUntraced(function* (url: string, options: PostgresOptions = {}) {
  const log = yield* plainLog
  const running = yield* Effect.acquireRelease(
    openAtStart(url, () => startPostgres(url, options, log), options.openMs),
    (started) => Effect.promise(started.close),
  )
  return running.channel
})

/** A `Database` on such a channel, which has so many `readers`. */
export const postgresServices = (
  channel: StatementChannel,
  readers: number = defaults.readers,
): Context.Context<Database | Scripts> => {
  const { database, scripts } = serveChannel("postgres", channel, readers)
  return Context.make(Database, database).pipe(Context.add(Scripts, scripts))
}

/** A `Database` on connections of its own to the server at `url`. */
export const postgresLayer = (
  url: string,
  options: PostgresOptions = {},
): Layer.Layer<Database | Scripts, DatabaseUnusable> =>
  Layer.effectContext(
    Effect.map(postgresChannel(url, options), (channel) => postgresServices(channel, options.readers)),
  )
