/**
 * A server in a process of its own: `parley test-server` on a data folder, as whoever tests in another language has it. It can
 * be killed by SIGKILL, and is started again on the same data and port.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import * as Result from "effect/Result"
import { readCommand } from "../config/read-settings.ts"
import { allSettings } from "../config/settings.ts"
import { packageFile } from "../db/package-root.ts"
import { isListenedTo } from "./find-leaks.ts"
import { findFreePort } from "./free-port.ts"
import type { ServerCore } from "./server-core.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts"
import type { Person, ServerOptions } from "./types.ts"

/** Generous: a start takes a second on an idle machine. */
const startMilliseconds = 60_000
/** To end in good order. */
const endMilliseconds = 15_000

/** The line that `parley test-server --json` prints. */
interface ChildServerLine {
  readonly port: number
  readonly people: ReadonlyArray<Person>
}

/** As the command's first line has it. Settings in the environment are not read. */
const environment = (): NodeJS.ProcessEnv => ({ ...process.env, MALLOC_MMAP_THRESHOLD_: "131072" })

/** The settings as options, but for those that the kit gives itself. */
const flagsOf = (settings: NonNullable<ServerOptions["settings"]>): ReadonlyArray<string> => {
  const read = readCommand(settings, [])
  if (Result.isFailure(read)) throw new Error(read.failure.message)
  return allSettings.flatMap(({ env, flag }) => {
    const text = settings[env] ?? ""
    return text === "" || flag === "port" || flag === "data-dir" ? [] : [`--${flag}=${text}`]
  })
}

const firstLine = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let [out, err] = ["", ""]
    const timer = setTimeout(() => end(new Error(`it did not start: ${err}`)), startMilliseconds)
    const end = (outcome: string | Error) => {
      clearTimeout(timer)
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
    child.stdout?.on("data", (chunk: Buffer) => {
      out += chunk.toString("utf8")
      if (out.includes("\n")) end(out.slice(0, out.indexOf("\n")))
    })
    child.stderr?.on("data", (chunk: Buffer) => {
      err += chunk.toString("utf8")
    })
    child.once("error", end)
    // Not `exit`, which may come before the last of what it said.
    child.once("close", () => end(new Error(`the server ended: ${err.trim()}`)))
  })

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const endBy = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (hasEnded(child)) return
  const ended = once(child, "exit")
  child.kill(signal)
  const timer = setTimeout(() => child.kill("SIGKILL"), endMilliseconds)
  await ended
  clearTimeout(timer)
}

const notHere = (what: string) => (): never => {
  throw new Error(`${what}: only for a server in the test's own process`)
}

export const startChild = async (options: ServerOptions): Promise<ServerCore> => {
  if (options.clock === "still") throw new Error("a child process has the machine's clock")
  if (options.database !== undefined)
    throw new Error("a child process on PostgreSQL: give it a database of its own by settings: { DATABASE_URL }")
  const flags = flagsOf(options.settings ?? {})
  const temporary = options.dataFolder === undefined ? await makeTemporaryFolder() : null
  const dataFolder = options.dataFolder ?? temporary ?? ""
  const start = async (port: number) => {
    const child = spawn(
      process.execPath,
      [
        packageFile("bin/parley.js"),
        ...["test-server", "--json", "--port", String(port), "--data-dir", dataFolder],
        ...(options.organization === "empty" ? ["--empty"] : []),
        ...flags,
      ],
      { env: environment(), stdio: ["pipe", "pipe", "pipe"] },
    )
    child.stdin?.on("error", () => {})
    try {
      const told: ChildServerLine = JSON.parse(await firstLine(child))
      return { child, told }
    } catch (error) {
      await endBy(child, "SIGKILL")
      throw error
    }
  }
  let running = await start(options.port ?? (await findFreePort())).catch(async (error: unknown) => {
    if (temporary !== null) await removeTemporaryFolder(temporary)
    throw error
  })
  const { port, people } = running.told

  return {
    port,
    people,
    clock: { now: () => Date.now(), advance: async () => notHere("clock.advance")() },
    faults: {
      loseCommits: notHere("faults.loseCommits"),
      lateCommits: notHere("faults.lateCommits"),
      stallDatabase: notHere("faults.stallDatabase"),
      resumeDatabase: notHere("faults.resumeDatabase"),
      struck: notHere("faults.struck"),
      heldUp: notHere("faults.heldUp"),
    },
    calm: () => {},
    kill: () => endBy(running.child, "SIGKILL"),
    restart: async () => {
      await endBy(running.child, "SIGTERM")
      running = await start(port)
    },
    end: async () => {
      await endBy(running.child, "SIGTERM")
      if (temporary !== null) await removeTemporaryFolder(temporary)
      return [
        ...(temporary !== null && existsSync(temporary) ? [`the folder ${temporary}`] : []),
        ...((await isListenedTo(port)) ? [`port ${port}, at which something still takes connections`] : []),
      ]
    },
  }
}
