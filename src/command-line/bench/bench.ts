/**
 * `parley bench`: measures a server of this API, one that runs or one that is started for it, and clears away what it made.
 * Loaded by cli.ts for this command alone.
 */
import { setMaxListeners } from "node:events"
import { writeFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Environment } from "../../config/read-settings.ts"
import { readBy } from "../read-command.ts"
import { type BenchArguments, makeBenchCommand } from "./bench-arguments.ts"
import { BenchImpossible, reasonOf } from "./bench-impossible.ts"
import { type ProgressOutput, progressTo } from "./bench-progress.ts"
import { type BenchReport, plotOf, textOf } from "./bench-report.ts"
import { interruptBy } from "./interrupts.ts"
import { startOwnServer } from "./own-server.ts"
import { runOn } from "./run-bench.ts"

export interface BenchConsole {
  readonly env: Environment
  readonly version: string
  readonly print: (text: string) => void
  /** Where the progress is shown. */
  readonly stderr: ProgressOutput
}

const perform = async (
  orders: BenchArguments,
  { env, stderr }: BenchConsole,
  signal: AbortSignal,
): Promise<BenchReport> => {
  const progress = progressTo(stderr)
  try {
    if (orders.url !== null)
      return await runOn({ url: orders.url.replace(/\/$/, ""), pid: null }, orders, signal, progress.tell)
    progress.tell("a server is started")
    const own = await startOwnServer(env, signal)
    try {
      return await runOn(own, orders, signal, progress.tell)
    } finally {
      await own.stop()
    }
  } finally {
    progress.end()
  }
}

const draw = (file: string, report: BenchReport): void => {
  const drawn = plotOf(report)
  if (drawn === null) return
  try {
    writeFileSync(file, `${drawn}\n`)
  } catch (error) {
    throw new BenchImpossible(`--plot ${file} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

const failure = (error: unknown): Result.Result<void, string> => {
  const reason = reasonOf(error)
  if (reason === null) throw error
  return Result.fail(reason)
}

/** A failure is one line that says why nothing was measured. The exit code is 1 where events were lost
 * or doubled, or a later step could not be measured, too. */
export const bench = async (argv: ReadonlyArray<string>, to: BenchConsole): Promise<Result.Result<void, string>> => {
  const read = await Effect.runPromise(readBy(makeBenchCommand, argv, to.version))
  if (read._tag === "Refused") return Result.fail(read.why)
  if (read._tag === "Help") return Result.succeed(to.print(read.text))
  const orders = read.wanted
  const interrupted = new AbortController()
  // Each request that is under way listens to it.
  setMaxListeners(0, interrupted.signal)
  const interrupt = interruptBy({ interrupted, exit: process.exit, now: () => performance.now() })
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, interrupt)
  try {
    const report = await perform(orders, to, interrupted.signal)
    to.print(orders.json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report))
    if (orders.plot !== null) draw(orders.plot, report)
    const isFaulty = report.outcomes.some(({ counts }) => counts.lost + counts.doubled > 0)
    if (isFaulty || report.endedEarly !== null) process.exitCode = 1
    return report.isInterrupted
      ? Result.fail("interrupted; what was measured before stands above")
      : Result.succeed(undefined)
  } catch (error) {
    return failure(error)
  } finally {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.removeListener(name, interrupt)
  }
}
