/**
 * PGlite's own thread. Its queries never wait for anything, so on the server's thread they would starve the event
 * loop (300 inserts: one timer tick in 146 ms). A statement cannot be stopped, so users' reads come in short ones, and
 * all others go before them, but for one of theirs in 100 ms. Else statements are done in the order in which they came,
 * with upkeep between them. Started by pglite.ts, maybe before the folder may be touched: PGlite is loaded meanwhile. Ends
 * itself when PGlite can no longer be trusted.
 */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads"
import * as Predicate from "effect/Predicate"
import type { Row } from "../database.ts"
import { idleMs, makeUpkeep, quietMs } from "./database-upkeep.ts"
import { type FromWorker, type ToWorker, upkeepKinds } from "./pglite-messages.ts"
import { compilePglite, openPglite } from "./pglite-open.ts"
import { makePrepared } from "./prepared-statements.ts"

type StatementMessage = Extract<ToWorker, { kind: "statement" }>

const port = parentPort
const data: unknown = workerData
if (
  port === null ||
  !Predicate.hasProperty(data, "folder") ||
  !Predicate.isString(data.folder) ||
  !Predicate.hasProperty(data, "sync") ||
  !Predicate.hasProperty(data, "upkeep")
) {
  throw new Error("pglite-worker is started by pglite.ts only")
}

const say = (message: FromWorker): void => port.postMessage(message)
const compiled = compilePglite()
let closing = false
// Statements come later than this, the wish to close maybe not.
await new Promise<void>((resolve) => {
  port.on("message", ({ kind }: ToWorker) => {
    if (kind === "open") resolve()
    else if (kind === "close") closing = true
  })
})
const database = await openPglite(data.folder, data.sync === true, compiled)
const prepared = makePrepared(database)
const upkeep = makeUpkeep(
  database,
  data.folder,
  say,
  upkeepKinds.find((kind) => kind === data.upkeep),
)

const first: Array<StatementMessage> = []
const yielding: Array<StatementMessage> = []
/** Milliseconds after which one statement at least is a read, however steadily a server writes. */
const readEveryMs = 100
let readAt = 0
let busy = false
let pause: NodeJS.Timeout | undefined
/** A start has pauses too, and no upkeep: on a full disk a checkpoint that failed in the middle of one stopped it. */
const upkeepFrom = performance.now() + 5_000
/** Number of the two upkeep tasks that were done since the last statement. */
let rested = 0

const execute = async ({ sql, parameters, script, plan }: StatementMessage): Promise<ReadonlyArray<Row>> => {
  if (plan !== "custom") return prepared.run(sql, parameters, plan)
  if (!script) return prepared.once(sql, parameters)
  await prepared.forget()
  await database.exec(sql)
  return []
}

const answer = async (asked: StatementMessage): Promise<void> => {
  try {
    say({ kind: "rows", id: asked.id, rows: await execute(asked) })
  } catch (error) {
    const code = Predicate.hasProperty(error, "code") ? error.code : undefined
    const severity = Predicate.hasProperty(error, "severity") ? error.severity : undefined
    // Anything but an ordinary SQL error (a trap of the WebAssembly code, PANIC) ends this instance. Whether the
    // statement was committed shows when the folder is opened again.
    if (!(error instanceof Error) || !Predicate.isString(code) || severity !== "ERROR") throw error
    say({ kind: "refused", id: asked.id, code, reason: error.message })
  }
}

const hear = (message: ToWorker): void => {
  clearTimeout(pause)
  rested = 0
  if (message.kind === "open") return
  if (message.kind === "close") closing = true
  else if (message.kind === "hold-upkeep") upkeep.hold(message.isHeld)
  else if (message.yields) yielding.push(message)
  else first.push(message)
}

/** Statements that have arrived are taken in first: their events come only when this thread has nothing to do. */
const takeNext = (): StatementMessage | undefined => {
  for (;;) {
    const arrived: { readonly message: ToWorker } | undefined = receiveMessageOnPort(port)
    if (arrived === undefined) break
    hear(arrived.message)
  }
  const isReadDue = yielding.length > 0 && (first.length === 0 || performance.now() - readAt > readEveryMs)
  return isReadDue ? yielding.shift() : first.shift()
}

const whileBusy = async (work: () => Promise<void>): Promise<void> => {
  busy = true
  await work()
  busy = false
  pump()
}

/** Schedules the next upkeep task, unless a statement comes first: one after a short pause, one after a long one. */
const rest = (): void => {
  const [step, ms] = rested === 0 ? [upkeep.idle, idleMs] : [upkeep.quiet, quietMs]
  pause = setTimeout(
    () => {
      rested += 1
      void whileBusy(step)
    },
    Math.max(ms, upkeepFrom - performance.now()),
  )
}

const finish = async (): Promise<void> => {
  await database.exec("checkpoint").catch(() => undefined)
  await database.close()
  process.exit(0)
}

const pump = (): void => {
  if (busy) return
  clearTimeout(pause)
  const next = takeNext()
  if (next !== undefined) {
    void whileBusy(async () => {
      await answer(next)
      if (next.yields) readAt = performance.now()
      await upkeep.betweenStatements()
    })
  } else if (closing) void whileBusy(finish)
  else if (rested < 2) rest()
}

port.on("message", (message: ToWorker) => {
  hear(message)
  pump()
})
say({ kind: "ready" })
if (closing) pump()
