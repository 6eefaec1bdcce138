/** The server that is measured where none is named: this program in a process of its own, on a folder that goes with it. */
import { type ChildProcess, spawn } from "node:child_process"
import type { Environment } from "../../config/read-settings.ts"
import { packageFile } from "../../db/package-root.ts"
import { makeTemporaryFolder, removeTemporaryFolder } from "../../testing/temporary-folders.ts"
import { BenchImpossible } from "./bench-impossible.ts"

export interface OwnServer {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

const startMilliseconds = 60_000
const stopMilliseconds = 15_000

/** Nothing of the environment that would lead it to anybody's data, and no limits: the server is measured, not they. */
const settingsOf = (env: Environment, folder: string): Record<string, string> => ({
  PATH: env["PATH"] ?? "",
  // As bin/parley.js is started, see there.
  MALLOC_MMAP_THRESHOLD_: "131072",
  PARLEY_SYNC: env["PARLEY_SYNC"] ?? "on",
  PARLEY_ENDS_WITH_PARENT: "on",
  PARLEY_DATA_DIR: folder,
  PARLEY_PORT: "0",
  PARLEY_RATE_LIMIT: "off",
  PARLEY_QUEUES_PER_USER: "100000",
})

const banner = /^Parley listens on (http:\S+)/m

/** Resolves with its address. */
const listens = (child: ChildProcess, signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    let [out, err] = ["", ""]
    const fail = (why: string) =>
      reject(new BenchImpossible(`the server to be measured ${why}: ${err.trim().split("\n").at(-1)}`))
    const late = setTimeout(() => fail("does not start"), startMilliseconds)
    const settle = () => clearTimeout(late)
    child.stdout?.on("data", (chunk: Buffer) => {
      out = (out + chunk.toString("utf8")).slice(-10_000)
      const [, url] = banner.exec(out) ?? []
      if (url === undefined || !out.includes("mode\n")) return
      settle()
      resolve(url)
    })
    child.stderr?.on("data", (chunk: Buffer) => {
      err = (err + chunk.toString("utf8")).slice(-10_000)
    })
    child.once("exit", () => {
      settle()
      fail("has ended")
    })
    signal.addEventListener("abort", () => {
      settle()
      reject(signal.reason)
    })
  })

const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  const late = setTimeout(() => child.kill("SIGKILL"), stopMilliseconds)
  await ended
  clearTimeout(late)
}

/**
 * In a group of its own: Ctrl-C at the terminal is for this process, which still reads from the server while it clears away.
 * The server ends with this process, however that ends.
 */
export const startOwnServer = async (env: Environment, signal: AbortSignal): Promise<OwnServer> => {
  const folder = await makeTemporaryFolder()
  const child = spawn(process.execPath, [packageFile("bin/parley.js")], {
    detached: true,
    env: settingsOf(env, folder),
    stdio: ["ignore", "pipe", "pipe"],
  })
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  const stop = async () => {
    await end(child)
    process.removeListener("exit", kill)
    await removeTemporaryFolder(folder)
  }
  try {
    return { url: await listens(child, signal), pid: child.pid ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
