/**
 * Temporary folders, in one of this process, or of this thread of it. It is gone when they are, however they end: test runners
 * terminate threads and kill processes. So a shell waits for the end of a pipe that nobody writes to, and removes the folder.
 * Where there is no shell, it is removed at the end of the process, or by the next one.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"

const prefix = "parley-testing-"
let root: string | undefined

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !Predicate.hasProperty(error, "code") || error.code !== "ESRCH"
  }
}

const remove = (folder: string): void => {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // Somebody else's.
  }
}

const sweep = (): void => {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-", 1)[0]) : Number.NaN
    if (Number.isInteger(pid) && !isRunning(pid)) remove(join(tmpdir(), name))
  }
}

/** In a group of its own: what interrupts the tests does not interrupt it. Neither it nor its pipe keeps the process alive. */
const guard = (folder: string): void => {
  const shell = spawn("sh", ["-c", 'cat >/dev/null; rm -rf -- "$1"', "sh", folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  })
  shell.on("error", () => {})
  shell.unref()
  if (shell.stdin instanceof Socket) shell.stdin.on("error", () => {}).unref()
}

const findRoot = (): string => {
  if (root !== undefined) return root
  sweep()
  const made = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
  process.on("exit", () => remove(made))
  guard(made)
  root = made
  return made
}

export const makeTemporaryFolder = (): Promise<string> => mkdtemp(join(findRoot(), "server-"))

export const removeTemporaryFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true })
