/** Runs `parley backup` and `parley restore`: what is done is told on standard error, what was done on standard output. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type { OperatorSettings } from "../config/read-settings.ts"
import { backUp } from "./backup/backup.ts"
import { type RestoreRequest, restore } from "./backup/restore.ts"
import { commandLog } from "./command-log.ts"
import { untilSignal } from "./until-signal.ts"

export type BackupRequest = { readonly backup: string } | { readonly restore: RestoreRequest }

/** A failure is one line that says why it was not done. */
export const runBackup = async (
  settings: OperatorSettings,
  wish: BackupRequest,
  { print, complain }: Readonly<Record<"print" | "complain", (text: string) => void>>,
): Promise<Result.Result<void, string>> => {
  const name = "backup" in wish ? "backup" : "restore"
  const tell = (line: string) => complain(`parley: ${name}: ${line}\n`)
  const work = "backup" in wish ? backUp(settings, wish.backup, tell) : restore(settings, wish.restore, tell)
  const told = Effect.mapError(work, (error) =>
    error._tag === "Unavailable" ? `the database was lost, or refused it: ${error.reason}` : error.message,
  )
  const exit = await untilSignal(Effect.provide(Effect.result(told), commandLog(settings)), { uninterruptible: true })
  if (Exit.isSuccess(exit)) return Result.map(exit.value, (text) => print(`${text}\n`))
  // A signal comes here only while nothing is lasting yet: renaming an archive and committing a restore are not interrupted.
  if (Cause.hasInterruptsOnly(exit.cause)) return Result.fail(`it was interrupted: there is no ${name}`)
  throw Cause.squash(exit.cause)
}
