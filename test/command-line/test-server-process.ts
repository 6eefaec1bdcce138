/** Starts `parley test-server` in a process, for tests of it; the process ends with the test. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Test } from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { adminUrl, until } from "../kit/test-database.ts"

export const patience = 60_000

/** These servers have the embedded database, whatever the suite has. */
export const only = { skip: adminUrl !== undefined && "tried in the runs on the embedded database" }

/** Where it puts what it removes: a folder of its own, so that nothing of others is taken for a leak. */
export const folderOf = (t: Test) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-command-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface Told {
  readonly url: string
  readonly port: number
  readonly people: ReadonlyArray<{ readonly name: string; readonly email: string; readonly apiKey: string }>
}

export const startTestServer = (
  t: Test,
  args: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>> = {},
) => {
  const folder = folderOf(t)
  const child = spawn(process.execPath, [packageFile("bin/parley.js"), "test-server", ...args], {
    env: { PATH: process.env["PATH"], TMPDIR: folder, ...variables },
    stdio: ["pipe", "pipe", "pipe"],
  })
  t.teardown(() => child.kill("SIGKILL"))
  let [out, err] = ["", ""]
  child.stdout?.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8")
  })
  child.stderr?.on("data", (chunk: Buffer) => {
    err += chunk.toString("utf8")
  })
  const ended = once(child, "close")
  const told = async (): Promise<Told> => {
    await until("it prints a line", patience, () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${err}`)
      return out.includes("\n")
    })
    return JSON.parse(out)
  }
  return { child, folder, told, ended, text: () => out, complaint: () => err }
}
