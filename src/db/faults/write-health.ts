/**
 * Whether the database can write. When its disk is full every write fails, and with a full write-ahead log each also
 * costs the embedded database its thread, or PostgreSQL a restart. So after a write that failed for want of disk
 * further commits are refused at once, but one now and then; when nobody commits, a probe takes its place, so that a
 * server which a load balancer has taken out comes back by itself. Reads go on. Wraps the `Database` of app.ts;
 * health-pages.ts tells of it in `/ready`.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Unavailable } from "../../api/errors.ts"
import { Clock, type ClockShape } from "../../clock.ts"
import { Database, type DatabaseShape, type OutcomeUncertain, type StatementRejected } from "../database.ts"
import { plainLog } from "../statement.ts"
import { makeBackoff } from "./backoff.ts"
import { makeFaultLog } from "./fault-log.ts"

interface WriteHealthShape {
  /** Why writes fail; null while they do not. */
  readonly fault: () => string | null
}

export class WriteHealth extends Context.Service<WriteHealth, WriteHealthShape>()("parley/db/WriteHealth") {}

/** SQLSTATEs of a disk that is full (53100) or fails (58: errors of the system, of input and output). */
const ofDisk = /^(53100|58...)$/

const firstPause = 1000
const longestPause = 10_000
const probeMilliseconds = 1000
/** Takes disk space as a commit does, and gives it back (write-probe.sql). */
export const probeSql = "select probe_writes_v1() as probed"

const texts = {
  begins: (reason: string) => `writes fail, only reads are served: ${reason}`,
  lasts: (reason: string, times: number) => `writes still fail (${times} tries since the last line): ${reason}`,
  ends: (seconds: number) => `writes work again, after ${seconds} s`,
}

type WriteError = Unavailable | OutcomeUncertain | StatementRejected

/** The reason of a failure for want of disk; null for any other. */
const diskFault = (error: WriteError): string | null =>
  error._tag !== "Rejected" && error.code !== undefined && ofDisk.test(error.code) ? error.reason : null

/** `probe` is to be run every now and then; it does nothing while writes work. */
export const watchWrites = (database: DatabaseShape, clock: ClockShape, log: (text: string) => void) => {
  const faultLog = makeFaultLog(clock.elapsed, log, texts)
  const backoff = makeBackoff(firstPause, longestPause)
  let fault: string | null = null
  let nextTryAt = 0

  const fails = (reason: string, isTry: boolean) => {
    // Statements that were on their way together fail together: they do not prolong the pause.
    if (fault === null || isTry) nextTryAt = clock.elapsed() + backoff.next()
    fault = reason
    faultLog.met(reason)
  }
  const works = () => {
    if (fault === null) return
    fault = null
    backoff.reset()
    faultLog.over()
  }
  const note = (exit: Exit.Exit<unknown, WriteError>, isTry: boolean) => {
    if (Exit.isSuccess(exit)) return works()
    const error = Exit.findErrorOption(exit)
    const reason = Option.isSome(error) ? diskFault(error.value) : null
    if (reason !== null) fails(reason, isTry)
    // It says nothing about the disk, so the next one tries.
    else if (isTry) nextTryAt = 0
  }

  const write: DatabaseShape["write"] = (sql, parameters) =>
    Effect.suspend(() => {
      const isTry = fault !== null
      if (fault !== null && clock.elapsed() < nextTryAt) return Effect.fail(new Unavailable({ reason: fault }))
      // The others wait for what becomes of this one.
      if (isTry) nextTryAt = Number.POSITIVE_INFINITY
      return Effect.onExit(database.write(sql, parameters), (exit) => Effect.sync(() => note(exit, isTry)))
    })
  const query: DatabaseShape["query"] = (sql, parameters, plan) =>
    Effect.tapError(database.query(sql, parameters, plan), (error) =>
      Effect.sync(() => {
        const reason = diskFault(error)
        if (reason !== null) fails(reason, false)
      }),
    )
  const health: WriteHealthShape = { fault: () => fault }
  const watched: DatabaseShape = { ...database, write, query }
  const probe = Effect.suspend(() => (fault === null ? Effect.void : Effect.ignore(write(probeSql))))
  return { database: watched, health, probe }
}

/** Gives the database on, watched. */
export const writeHealthLayer = Layer.effectContext(
  Effect.gen(function* () {
    const clock = yield* Clock
    const { database, health, probe } = watchWrites(yield* Database, clock, yield* plainLog)
    const timer = clock.every(probeMilliseconds, () => void Effect.runFork(probe))
    yield* Effect.addFinalizer(() => Effect.sync(() => timer.cancel()))
    return Context.make(Database, database).pipe(Context.add(WriteHealth, health))
  }),
)
