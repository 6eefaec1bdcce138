/**
 * The embedded database: PGlite in a worker thread, one message per statement, pipelined; reads of users give way. A
 * thread that dies or falls silent takes what was in flight with it (`Uncertain` for writes) and is replaced on the
 * same folder within a second, later if that goes on; meanwhile statements are refused. `pgliteChannel` neither
 * prepares nor holds its folder: open-database.ts does, and so does `temporaryPgliteLayer` for tests.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { oneByOne } from "../abortable-work.ts"
import { spaceHint } from "../data-folders.ts"
import { Database, type Durability } from "../database.ts"
import { makeBackoff } from "../faults/backoff.ts"
import { makeFaultLog } from "../faults/fault-log.ts"
import { oneLine } from "../one-line.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import {
  plainLog,
  refusal,
  Scripts,
  type SqlStatement,
  type StatementChannel,
  type StatementOutcome,
  serveChannel,
} from "../statement.ts"
import { copyCluster } from "./copy-cluster.ts"
import { unpackImage } from "./pglite-image.ts"
import type { FromWorker, ToWorker, UpkeepKind, WorkerData } from "./pglite-messages.ts"
import { sinceCheckpoint } from "./since-checkpoint.ts"

export interface PgliteOptions {
  /** Whether every commit is on the disk before it is answered. Default true. */
  readonly sync?: boolean
  /** What the thread does between statements. */
  readonly upkeep?: UpkeepKind
  /** The folder's durability, as open-database.ts knows it. Without it a power cut is taken to have lost something. */
  readonly durability?: Durability
  /** Options of Node for the thread; tests load a module into it that watches or breaks its files. */
  readonly threadArguments?: ReadonlyArray<string>
  /** A thread without an answer or upkeep for this time is stuck. Generous, because statements queue up in it. */
  readonly silenceMs?: number
  /** The first thread, made by `pgliteThread` for the same folder. */
  readonly thread?: Worker | undefined
  /** Called with each new thread; tests terminate one to see it replaced. */
  readonly onWorker?: (worker: Worker) => void
}

const workerFile = new URL(
  import.meta.url.endsWith(".ts") ? "./pglite-worker.ts" : "./pglite-worker.js",
  import.meta.url,
)
const silenceMs = 60_000
/** Migrations, a vacuum of a large table. */
const longSilenceMs = 600_000
const firstReopenMs = 100
/** A thread that lives for `steadyMs` ends the doubling. */
const longestReopenMs = 10_000
const steadyMs = 5_000
const closeWithinMs = 15_000
/** SQLSTATEs. Here everything is permitted to the one user, so it is files that cannot be written. */
const noPrivilege = "42501"
const ioError = "58030"

const lossTexts = {
  begins: (reason: string) => `the database is lost and opened again: ${reason}`,
  lasts: (reason: string, times: number) => `the database was lost ${times} times since the last line: ${reason}`,
  ends: (seconds: number) => `the database is open again, after ${seconds} s`,
}
const upkeepTexts = {
  begins: (reason: string) => `upkeep of the database fails: ${reason}`,
  lasts: (reason: string, times: number) =>
    `upkeep of the database failed ${times} times since the last line: ${reason}`,
  ends: () => "upkeep of the database works again",
}

/** The id that Node gives for a thread that has ended. */
const endedThread = -1

/** Node's arguments of the process are not passed on: those of a test runner, or of `node -e`, are not for threads of ours. */
const makeThread = (folder: string, { sync = true, upkeep = "all", threadArguments = [] }: PgliteOptions): Worker => {
  const data: WorkerData = { folder, sync, upkeep }
  return new Worker(workerFile, { workerData: data, execArgv: [...threadArguments] })
}

/**
 * A thread for `folder` that loads PGlite, which takes a fifth of a second, and touches nothing until it is given to a
 * channel, which closes it: so it can be made before the folder is held. Where that never comes, it goes with the scope.
 */
export const pgliteThread = (folder: string, sync: boolean): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const thread = makeThread(folder, { sync })
      // Else an error that comes before the channel listens would end the process.
      return thread.on("error", () => {})
    }),
    (thread) => Effect.promise(() => thread.terminate()),
  )

interface RunningPglite {
  readonly channel: StatementChannel
  /** Resolves when the folder may be opened by someone else. */
  readonly close: () => Promise<void>
}

/** `opened` is called once, after the first attempt to open the folder. Later failures are retried without end. */
const startPglite = (
  folder: string,
  options: PgliteOptions,
  log: (text: string) => void,
  opened: (result: RunningPglite | DatabaseUnusable) => void,
): void => {
  const pending = new Map<number, SqlStatement>()
  let worker: Worker | null = null
  let ready = false
  let everReady = false
  let upkeep = false
  /** Set while closing: called when the thread has ended. */
  let closed: (() => void) | undefined
  let nextId = 0
  let reopening: NodeJS.Timeout | undefined
  let steady: NodeJS.Timeout | undefined
  const backoff = makeBackoff(firstReopenMs, longestReopenMs)
  const elapsed = () => performance.now()
  const losses = makeFaultLog(elapsed, log, lossTexts)
  const upkeepFaults = makeFaultLog(elapsed, log, upkeepTexts)
  let watchdog: NodeJS.Timeout | undefined
  const copying = oneByOne()

  const post = (message: ToWorker): void => worker?.postMessage(message)

  const watch = (ms: number | null): void => {
    clearTimeout(watchdog)
    if (ms === null) return
    watchdog = setTimeout(() => void worker?.terminate(), ms).unref()
  }
  /** Restarts the watchdog for the oldest statement without an answer. */
  const watchOldest = (): void => {
    const oldest = pending.values().next().value
    if (oldest === undefined) return watch(null)
    watch(oldest.script || upkeep ? longSilenceMs : (options.silenceMs ?? silenceMs))
  }

  const settle = (id: number, outcome: StatementOutcome): void => {
    const statement = pending.get(id)
    pending.delete(id)
    watchOldest()
    statement?.settle(outcome)
  }

  const hear = (message: FromWorker): void => {
    switch (message.kind) {
      case "ready":
        ready = true
        steady = setTimeout(backoff.reset, steadyMs).unref()
        if (everReady) return losses.over()
        everReady = true
        opened({ channel, close })
        return
      case "upkeep":
        upkeep = message.running
        return watchOldest()
      case "upkeep-done":
        return upkeepFaults.over()
      case "upkeep-failed":
        return upkeepFaults.met(message.reason)
      case "rows":
        return settle(message.id, { kind: "rows", rows: message.rows })
      case "refused":
        return settle(message.id, refusal(message.code === noPrivilege ? ioError : message.code, message.reason))
    }
  }

  const start = (ahead?: Worker): void => {
    const thread = ahead ?? makeThread(folder, options)
    let failure = "the database thread ended"
    let code: string | undefined
    worker = thread
    thread.on("message", hear)
    thread.on("error", (error) => {
      failure = oneLine(error)
      if (Predicate.hasProperty(error, "code") && Predicate.isString(error.code)) code = error.code
    })
    thread.on("exit", () => {
      ready = false
      upkeep = false
      worker = null
      watch(null)
      clearTimeout(steady)
      const lost = [...pending.values()]
      pending.clear()
      if (closed !== undefined) closed()
      else if (everReady) {
        losses.met(failure)
        reopening = setTimeout(() => start(), backoff.next())
      } else {
        const message = `The database in ${folder} cannot be opened: ${failure}${spaceHint(folder)}`
        opened(new DatabaseUnusable({ message }))
      }
      for (const statement of lost) statement.settle({ kind: "unknown", reason: failure, code })
    })
    post({ kind: "open" })
    options.onWorker?.(thread)
  }

  const channel: StatementChannel = {
    up: () => ready && closed === undefined,
    copy: async (target, signal) => {
      // Another one in the same folder would remove this one's files, and let a checkpoint through at its end.
      await copying(async () => {
        signal.throwIfAborted()
        if (worker === null) throw new Error("the database is being opened")
        await sinceCheckpoint({ thread: worker, send: channel.send, signal }, (until) =>
          copyCluster(folder, target, until),
        )
      })
    },
    send: (statement) => {
      if (!ready || closed !== undefined)
        return statement.settle({ kind: "not-done", reason: "the database is being opened" })
      const id = nextId++
      pending.set(id, statement)
      if (pending.size === 1) watchOldest()
      const { sql, parameters, script, yields, plan } = statement
      post({ kind: "statement", id, sql, parameters, script, yields, plan })
    },
  }

  const close = (): Promise<void> =>
    new Promise((resolve) => {
      clearTimeout(reopening)
      const late = setTimeout(() => void worker?.terminate(), closeWithinMs)
      closed = () => {
        clearTimeout(late)
        resolve()
      }
      if (worker === null) closed()
      else post({ kind: "close" })
    })

  const { thread } = options
  // One that has ended already did not get as far as to the folder: another one will tell why.
  start(thread?.threadId === endedThread ? undefined : thread)
}

/** A channel to a new thread on a prepared folder, which no other has open. Its scope's end checkpoints and ends it. */
export const pgliteChannel = Effect.fnUntraced(function* (folder: string, options: PgliteOptions = {}) {
  const log = yield* plainLog
  const running = yield* Effect.acquireRelease(
    Effect.callback<RunningPglite, DatabaseUnusable>((resume) =>
      startPglite(folder, options, log, (result) =>
        resume(result instanceof DatabaseUnusable ? Effect.fail(result) : Effect.succeed(result)),
      ),
    ),
    (started) => Effect.promise(started.close),
  )
  return running.channel
})

/** One is done and one waits, so that the thread need not wait for the next. */
const readsAtOnce = 2

/** A `Database` on such a channel. */
export const pgliteServices = (
  channel: StatementChannel,
  durability?: Durability,
): Context.Context<Database | Scripts> => {
  const { database, scripts } = serveChannel("pglite", channel, readsAtOnce, durability)
  return Context.make(Database, database).pipe(Context.add(Scripts, scripts))
}

export const pgliteLayer = (
  folder: string,
  options: PgliteOptions = {},
): Layer.Layer<Database | Scripts, DatabaseUnusable> =>
  Layer.effectContext(
    Effect.map(pgliteChannel(folder, options), (channel) => pgliteServices(channel, options.durability)),
  )

/** An empty database in a folder of its own that goes with its scope, without sync: 0.3-0.5 s with the image, 4 s without. */
export const temporaryPgliteLayer = (options: PgliteOptions = {}): Layer.Layer<Database | Scripts, DatabaseUnusable> =>
  Layer.unwrap(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const folder = await mkdtemp(join(tmpdir(), "parley-"))
        await unpackImage(folder)
        return folder
      }),
      (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
    ).pipe(Effect.map((folder) => pgliteLayer(folder, { sync: false, ...options }))),
  )
