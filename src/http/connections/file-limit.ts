/**
 * The number of files and connections that the system lets this process have open. Asked once by server.ts: where the
 * last one is taken, a new connection can be neither accepted nor refused, and the attempts take a whole core.
 */
import { readFileSync } from "node:fs"

/** Read when it is needed: Node raises its own limit to the highest allowed when it starts. Infinite where unknown. */
export const openFileLimit = (): number => {
  try {
    const limits = readFileSync("/proc/self/limits", "latin1")
    const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? []
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    // Not Linux.
    return Number.POSITIVE_INFINITY
  }
}

/** Files of the program and its database. */
const mostOwnFiles = 1000

/** The connections there may be at once: as many as set, but leave the program the files that it needs. */
export const mostConnections = (set: number, files: number): number =>
  Math.max(1, Math.min(set, files - Math.min(mostOwnFiles, Math.floor(files / 4))))
