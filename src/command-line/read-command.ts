/**
 * Reads the arguments of an operator's command: it answers the command, the help that was asked for, or one line that says
 * what is wrong. Effect's command line would print several, and reads files and terminals for kinds of arguments that are
 * not used here.
 */

import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stdio from "effect/Stdio"
import * as Terminal from "effect/Terminal"
import type { Wanted } from "./arguments.ts"
import { makeCommands } from "./commands.ts"

export type ReadCommand<A> =
  | { readonly _tag: "Wanted"; readonly wanted: A }
  | { readonly _tag: "Help"; readonly text: string }
  | { readonly _tag: "Refused"; readonly why: string }

const unused = Effect.die(new Error("no argument asks for this"))

/** What no argument of ours needs. */
const platform = Layer.mergeAll(
  FileSystem.layerNoop({}),
  Path.layer,
  Stdio.layerTest({}),
  Layer.succeed(
    Terminal.Terminal,
    Terminal.make({
      columns: Effect.succeed(100),
      rows: Effect.succeed(24),
      size: unused,
      readInput: unused,
      readLine: unused,
      display: () => unused,
    }),
  ),
  Layer.succeed(
    ChildProcessSpawner.ChildProcessSpawner,
    ChildProcessSpawner.make(() => unused),
  ),
)

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** Has `argv` read by the commands that `make` makes. */
export const readBy = <A, const Name extends string, Input, ContextInput>(
  make: (take: (wanted: A) => void) => Command.Command<Name, Input, ContextInput, never, never>,
  argv: ReadonlyArray<string>,
  version: string,
): Effect.Effect<ReadCommand<A>> => {
  let wanted: A | undefined
  let help = ""
  const formatter = CliOutput.defaultFormatter({ colors: false })
  const presenter = CliOutput.layerPresenter({
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") help = formatter.formatHelpDoc(event.helpDoc)
      }),
  })
  const command = make((read) => {
    wanted = read
  })
  const run = Command.runWith(command, { version, renderErrors: false })
  return run(argv).pipe(
    Effect.map((): ReadCommand<A> => {
      if (wanted !== undefined) return { _tag: "Wanted", wanted }
      return { _tag: "Help", text: `${help.trimEnd()}\n` }
    }),
    Effect.catch((error): Effect.Effect<ReadCommand<A>> => {
      const path = error._tag === "ShowHelp" ? error.commandPath.join(" ") : "parley"
      const first = error._tag === "ShowHelp" ? error.errors[0] : error
      const why = first === undefined ? "which command of these?" : oneLine(first.message)
      return Effect.succeed({ _tag: "Refused", why: `${path}: ${why}; ${path} --help lists what there is` })
    }),
    Effect.provide(Layer.mergeAll(platform, presenter, CliConfig.layer({ builtIns: [GlobalFlag.Help] }))),
  )
}

export const readParsedCommand = (argv: ReadonlyArray<string>, version: string): Effect.Effect<ReadCommand<Wanted>> =>
  readBy(makeCommands, argv, version)
