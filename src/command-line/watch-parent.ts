/**
 * Tells when the process that started this one has ended, which the system shows by giving it another parent. npm and its
 * shell stand between this process and whoever wants it, and would outlive that one: they are looked past, on Linux.
 */
import { readFileSync } from "node:fs"

const lookMilliseconds = 250

/** Of a process: its name, and its parent's id. */
const statusOf = (pid: number): { readonly name: string; readonly parent: number } | null => {
  try {
    const text = readFileSync(`/proc/${pid}/status`, "latin1")
    const [, name = ""] = /^Name:\s+(.*)$/m.exec(text) ?? []
    const [, parent = "0"] = /^PPid:\s+(\d+)$/m.exec(text) ?? []
    return { name, parent: Number(parent) }
  } catch {
    return null
  }
}

/** By their names: `npm exec parley`, `sh -c parley`. */
const isBetween = (name: string): boolean => /^(npm|npx|sh|dash)\b/.test(name)

/** A process and the parent that it has; it is another one when the parent has ended. */
interface WatchedProcess {
  readonly pid: number
  readonly parent: number
}

const watched = (): ReadonlyArray<WatchedProcess> => {
  const found: Array<WatchedProcess> = [{ pid: process.pid, parent: process.ppid }]
  for (;;) {
    const { parent = 0 } = found.at(-1) ?? {}
    const status = statusOf(parent)
    if (status === null || !isBetween(status.name) || status.parent <= 1) return found
    found.push({ pid: parent, parent: status.parent })
  }
}

/** Calls `ended` once; answers a function that ends the watching. A process whose parent has ended already has none to watch. */
export const watchParent = (ended: () => void): (() => void) => {
  const all = watched().filter(({ parent }) => parent > 1)
  const parentNow = (pid: number) => (pid === process.pid ? process.ppid : statusOf(pid)?.parent)
  const timer = setInterval(() => {
    if (all.every(({ pid, parent }) => parentNow(pid) === parent)) return
    clearInterval(timer)
    ended()
  }, lookMilliseconds).unref()
  return () => clearInterval(timer)
}
