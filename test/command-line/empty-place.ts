/** An empty database in production mode, for tests of the way from nothing to a first message: a server, and commands there. */
import type { Test } from "tap"
import { findFreePort } from "../../src/testing/free-port.ts"
import { type Account, type Fields, request } from "../kit/client.ts"
import { makeFlags, originOf, Program } from "../kit/program.ts"
import { type Outcome, runCommand } from "../kit/run-command.ts"
import { until } from "../kit/test-database.ts"

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "a secret for this test only, and long enough",
  PARLEY_EXTERNAL_URL: "https://first.example",
}

/** The command that makes an organization. */
export const org = (host: string) => [
  ...["org", "create", host, "--name", `The ${host}`],
  ...["--owner-email", `ann@${host}`, "--owner-name", "Ann Owner"],
]

export const keyIn = (text: string): string => /^API key (\w{32})$/m.exec(text)?.[1] ?? ""

export const makePlace = async (t: Test) => {
  const [flagsAt, port] = [await makeFlags(t), await findFreePort()]
  const flags = flagsAt(port)
  const env: Record<string, string> = { ...production }
  return {
    port,
    flags,
    env,
    serve: async () => {
      const program = new Program(t, flags, env)
      await until("it is ready, and says so", 60_000, async () => {
        if (!program.isRunning) throw new Error(program.err)
        const answer = await fetch(`${originOf(port)}/ready`).catch(() => undefined)
        return answer?.status === 200 && program.isServing
      })
      return program
    },
    /** Runs a command in this process. */
    run: (args: ReadonlyArray<string>, more: Readonly<Record<string, string>> = {}) =>
      runCommand([...args, ...flags], { ...env, ...more }),
    /** The same in a process of its own, to whose standard input a password may be given. */
    runApart: async (args: ReadonlyArray<string>, input?: string, where = flags): Promise<Outcome> => {
      const command = new Program(t, [...args, ...where], env, input)
      const { code } = await command.ended
      return { code, out: command.out, err: command.err }
    },
    ask: (host: string, method: string, path: string, fields: Fields = {}, account?: Account) =>
      request(originOf(port), method, path, fields, {
        headers: { Host: host },
        ...(account === undefined ? {} : { account }),
      }),
  }
}
