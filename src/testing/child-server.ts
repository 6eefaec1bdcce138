/**
 * A server in a process of its own: `parley test-server` on a data folder, as whoever tests in another language has it. It can
 * be killed by SIGKILL, and is started again on the same data and port.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { packageFile } from "../db/package-root.ts"
import type { Core } from "./core.ts"
import { findFreePort } from "./free-port.ts"
import { isListenedTo } from "./leaks.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts"
import type { Person, ServerOptions } from "./types.ts"

/** Generous: a start takes a second on an idle machine. */
const startMilliseconds = 60_000
/** To end in good order. */
const endMilliseconds = 15_000

/** The line that `parley test-server --json` prints. */
interface Told {
  readonly port: number
  readonly people: ReadonlyArray<Person>
}

/** The environment of the test without settings of somebody's own server. */
const environment = (settings: ServerOptions["settings"] = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(PARLEY_|DATABASE_URL$|PORT$)/.test(name))),
  // As the command's first line has it.
  MALLOC_MMAP_THRESHOLD_: "131072",
  ...settings,
})

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
    child.once("exit", () => end(new Error(`the server ended: ${err.trim()}`)))
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

export const startChild = async (options: ServerOptions): Promise<Core> => {
  if (options.clock === "still") throw new Error("a child process has the machine's clock")
  if (options.database !== undefined)
    throw new Error("a child process on PostgreSQL: give it a database of its own by settings: { DATABASE_URL }")
  const temporary = options.dataFolder === undefined ? await makeTemporaryFolder() : null
  const dataFolder = options.dataFolder ?? temporary ?? ""
  const start = async (port: number) => {
    const child = spawn(
      process.execPath,
      [
        packageFile("bin/parley.js"),
        ...["test-server", "--json", "--port", String(port), "--data-dir", dataFolder],
        ...(options.organization === "empty" ? ["--empty"] : []),
      ],
      { env: environment(options.settings), stdio: ["pipe", "pipe", "pipe"] },
    )
    child.stdin?.on("error", () => {})
    try {
      const told: Told = JSON.parse(await firstLine(child))
      return { child, told }
    } catch (error) {
      await endBy(child, "SIGKILL")
      throw error
    }
  }
  let running = await start(options.port ?? (await findFreePort()))
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
    },
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
