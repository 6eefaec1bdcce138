/** Runs the program's commands in this process: one of its own has half a second more of the processor to do. */
import { runCli } from "../../src/cli.ts"

/** The exit code, and what was printed. */
export interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Without any standard input: a password cannot be given. */
export const runCommand = async (
  argv: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  let [out, err] = ["", ""]
  const code = await runCli({
    argv,
    env: { PARLEY_SYNC: "off", ...env },
    serve: () => Promise.reject(new Error("this is no server")),
    print: (text) => {
      out += text
    },
    complain: (text) => {
      err += text
    },
  })
  return { code, out, err }
}
