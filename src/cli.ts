/**
 * The command line: reads the command, prints help, version or settings, serves, or has an operator's command done. Every error is one line that
 * begins with `parley: `. Exit codes: 0; 2 for a wrong setting, a port in use, a folder that cannot be used or a
 * database that is held or unusable; 1 for a crash. main.ts gives it the process and the function that serves.
 */

import * as Result from "effect/Result"
import { describeSettings } from "./config/describe-settings.ts"
import { type CliCommand, type Environment, type OperatorSettings, readCommand } from "./config/read-settings.ts"
import type { Setting } from "./config/setting.ts"
import { limitNames, limitSetting, settings } from "./config/settings.ts"
import { packageVersion } from "./db/package-root.ts"
import { type Platform, platformFault, thisPlatform } from "./http/network/platform.ts"

export interface CommandLine {
  readonly argv: ReadonlyArray<string>
  readonly env: Environment
  /** Runs the server to its end. A failure is a reason not to start, in one line; what it throws is a crash. */
  readonly serve: (settings: OperatorSettings) => Promise<Result.Result<void, string>>
  readonly print: (text: string) => void
  readonly complain: (text: string) => void
  readonly platform?: Platform
}

/** Resolves to the exit code. Never rejects. */
export const runCli = async (line: CommandLine): Promise<number> => {
  const refuse = (reason: string) => {
    line.complain(`parley: ${reason}\n`)
    return 2
  }
  const command = readCommand(line.env, line.argv)
  if (Result.isFailure(command)) return refuse(command.failure.message)
  try {
    const outcome = await perform(line, command.success)
    return Result.isFailure(outcome) ? refuse(outcome.failure) : 0
  } catch (error) {
    line.complain(`parley: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    return 1
  }
}

const perform = async (line: CommandLine, command: CliCommand): Promise<Result.Result<void, string>> => {
  switch (command._tag) {
    case "Help":
      return Result.succeed(line.print(helpText()))
    case "Version":
      return Result.succeed(line.print(`parley ${packageVersion()}\n`))
    case "Operate": {
      // Loaded only here: a server starts without the parser.
      const { runCommand: operate } = await import("./command-line/run-command.ts")
      const load = async () => (await import("./app.ts")).openForCommands
      const loadTesting = async () => (await import("./testing/index.ts")).startServer
      return operate(command, {
        print: line.print,
        complain: line.complain,
        version: packageVersion(),
        load,
        loadTesting,
      })
    }
    case "Bench": {
      const { bench } = await import("./command-line/bench/bench.ts")
      return bench(command.argv, {
        env: line.env,
        print: line.print,
        version: packageVersion(),
        stderr: process.stderr,
      })
    }
    case "PrintConfig":
      return Result.succeed(line.print(`${describeSettings(command.settings)}\n`))
    case "Serve": {
      const platform = line.platform ?? thisPlatform()
      const fault = platformFault(platform) ?? familyFault(command.settings, platform)
      if (fault !== undefined) return Result.fail(fault)
      return line.serve(command.settings)
    }
  }
}

/** Elsewhere the system gives connections to a port that several processes open to one of them only, or opens it once. */
const familyFault = ({ children }: OperatorSettings, { os }: Platform): string | undefined =>
  children === null || os === "linux"
    ? undefined
    : `${settings.processes.env}=${children} needs Linux: start processes with ${settings.processes.env}=many, each at a port of its own`

const width = 100
const indent = "      "

/** Breaks a text into indented lines. */
const wrap = (text: string): string => {
  const lines = [indent]
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? ""
    if (last !== indent && last.length + word.length > width) lines.push(indent + word)
    else lines[lines.length - 1] = last === indent ? indent + word : `${last} ${word}`
  }
  return lines.join("\n")
}

const settingHelp = ({ flag, placeholder, env, help, defaultText }: Setting<unknown>): string =>
  `  --${flag} <${placeholder}>  ${env}\n${wrap(`${help} Default: ${defaultText}.`)}`

const helpText = (): string =>
  [
    "parley: a team chat server\n",
    "Usage: parley [serve] [options]",
    "       parley org create|list|deactivate|reactivate ...",
    "                                                 Organizations, and the first owner of each.",
    "       parley user create|list|role|password|api-key|deactivate|reactivate ...",
    "                                                 Accounts.",
    "       parley mail test <address>                Whether mails get through.",
    "       parley files adopt                        Says that the folder for files is this database's.",
    "       parley backup <file>                      Everything in one archive, while the server goes on.",
    "       parley restore <file>                     An archive into an empty database of either kind.",
    "       parley test-server [--json] [--empty]     A server for tests of clients.",
    "       parley bench [fan-out|rate|storm] ...     Measures a server of this API: parley bench --help.\n",
    "The commands org, user and mail work with and without a running server: `parley org create --help`.\n",
    "  --help, -h        Prints this.",
    "  --version         Prints the version.",
    "  --print-config    Prints the settings as they would be used, without passwords and other secrets.\n",
    "Every setting is a flag or a variable of the environment. The flag wins; an empty variable counts as absent.\n",
    ...Object.values(settings).map(settingHelp),
    "\nLimits of the protocol, and how long things are kept:\n",
    ...limitNames.map((name) => settingHelp(limitSetting(name))),
    "",
  ].join("\n")
