/** The arguments of the command line, divided into words, switches and settings. Called by read-settings.ts. */
import { parseArgs } from "node:util"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { allSettings } from "./settings.ts"

/** `message` is one line that names the setting and what was expected, and never holds a secret. */
export class ConfigError extends Data.TaggedError("ConfigError")<{ readonly message: string }> {}

export const fault = (message: string) => Result.fail(new ConfigError({ message }))
export const seeHelp = "parley --help lists what there is"

export interface Arguments {
  readonly words: ReadonlyArray<string>
  readonly switches: ReadonlySet<string>
  readonly flags: ReadonlyMap<string, string>
}

const switches = ["help", "version", "print-config"]

/** Not strict: its own messages run over several lines. */
const tokensOf = (argv: ReadonlyArray<string>) => {
  const options = Object.fromEntries<{ type: "string" | "boolean"; short?: string }>([
    ...allSettings.map(({ flag }) => [flag, { type: "string" }] as const),
    ...switches.map((name) => [name, { type: "boolean" }] as const),
    ["help", { type: "boolean", short: "h" }],
  ])
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true })
  return { options, tokens }
}

/** Words that begin a command of src/command-line, which reads what is no setting. */
const operations: ReadonlyArray<string> = ["org", "user", "mail", "files", "backup", "restore", "test-server"]

/** The arguments of such a command, divided; undefined for others. */
export const divideOperation = (argv: ReadonlyArray<string>) => {
  const { tokens } = tokensOf(argv)
  const first = tokens.find((token) => token.kind === "positional")
  if (first?.kind !== "positional" || !operations.includes(first.value)) return undefined
  const settingFlags = new Set(allSettings.map(({ flag }) => flag))
  const ours = new Set<number>()
  for (const token of tokens) {
    if (token.kind !== "option" || !settingFlags.has(token.name)) continue
    ours.add(token.index)
    if (token.inlineValue === false) ours.add(token.index + 1)
  }
  return {
    name: first.value,
    settings: argv.filter((_, index) => ours.has(index)),
    argv: argv.filter((_, index) => !ours.has(index)),
  }
}

export const parseArguments = (argv: ReadonlyArray<string>): Result.Result<Arguments, ConfigError> => {
  const { options, tokens } = tokensOf(argv)
  const words: Array<string> = []
  const found = new Set<string>()
  const flags = new Map<string, string>()
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value)
    if (token.kind !== "option") continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (option === undefined) return fault(`unknown option ${rawName}; ${seeHelp}`)
    if (found.has(name) || flags.has(name)) return fault(`${rawName} is given twice`)
    if (option.type === "boolean") {
      if (value !== undefined) return fault(`${rawName} takes no value`)
      found.add(name)
    } else if (value === undefined || (inlineValue === false && value.startsWith("-"))) {
      return fault(`${rawName} needs a value`)
    } else flags.set(name, value)
  }
  return Result.succeed({ words, switches: found, flags })
}
