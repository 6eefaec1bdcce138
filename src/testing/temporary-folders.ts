/**
 * Temporary folders that are gone when the process is: it removes its own at its end, however that is reached, and those of
 * processes that were killed.
 */
import { readdirSync, rmSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"

const prefix = "parley-testing-"
const own = new Set<string>()
let isWatching = false

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
    rmSync(folder, { recursive: true, force: true })
  } catch {
    // Somebody else's.
  }
}

const watch = (): void => {
  if (isWatching) return
  isWatching = true
  process.on("exit", () => {
    for (const folder of own) remove(folder)
  })
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-", 1)[0]) : Number.NaN
    if (Number.isInteger(pid) && !isRunning(pid)) remove(join(tmpdir(), name))
  }
}

export const makeTemporaryFolder = async (): Promise<string> => {
  watch()
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  own.add(folder)
  return folder
}

export const removeTemporaryFolder = async (folder: string): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  own.delete(folder)
}
