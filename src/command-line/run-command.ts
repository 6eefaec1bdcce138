/**
 * Has an operator's command done: reads it, asks for the password that it needs, finds who does it (dispatch-command.ts), and prints the
 * answer. Loaded by cli.ts for these commands alone.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { CliCommand } from "../config/read-settings.ts"
import { dispatchCommand, type LoadProgram } from "./dispatch-command.ts"
import { ownerFault } from "./folder-owner.ts"
import { readParsedCommand } from "./read-command.ts"
import { readPassword } from "./read-password.ts"
import { type LoadTesting, serveTests } from "./test-server.ts"

export interface OperatorConsole {
  readonly print: (text: string) => void
  /** Takes whole lines for standard error. */
  readonly complain: (text: string) => void
  readonly version: string
  readonly load: LoadProgram
  readonly loadTesting: LoadTesting
}

/** A failure is one line that says why it was not done. */
export const runCommand = async (
  { argv, found: settings, given }: Extract<CliCommand, { readonly _tag: "Operate" }>,
  { print, complain, version, load, loadTesting }: OperatorConsole,
): Promise<Result.Result<void, string>> => {
  const read = await Effect.runPromise(readParsedCommand(argv, version))
  if (read._tag === "Refused") return Result.fail(read.why)
  if (read._tag === "Help") return Result.succeed(print(read.text))
  if (Result.isFailure(settings)) return Result.fail(settings.failure.message)
  const { wanted } = read
  if ("testServer" in wanted) return serveTests(wanted.testServer, given, { print, load: loadTesting })
  const owner = ownerFault(settings.success, argv)
  if (owner !== undefined) return Result.fail(owner)
  if ("adopt" in wanted) {
    const { runAdopt } = await import("./adopt-files.ts")
    return Result.map(await runAdopt(settings.success), (text) => print(`${text}\n`))
  }
  if ("backup" in wanted || "restore" in wanted) {
    const { runBackup } = await import("./run-backup.ts")
    return runBackup(settings.success, wanted, { print, complain })
  }
  const input = { stream: process.stdin, tell: (text: string) => void process.stderr.write(text) }
  const password = wanted.asks ? await readPassword(input, wanted.of) : Result.succeed("")
  if (Result.isFailure(password)) return Result.fail(password.failure)
  const command = wanted.asks ? wanted.complete(password.success) : wanted.command
  const answer = await dispatchCommand(settings.success, command, load)
  if (!answer.isDone) return Result.fail(answer.text)
  return Result.succeed(print(`${answer.text}\n`))
}
