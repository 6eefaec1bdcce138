/**
 * The memory of a server's process while it is idle; the runner compares two such figures. Counts the pages of V8's old
 * spaces and the native heap of the main thread, where uWebSockets.js keeps its sockets, but not the young space, whose
 * size V8 changes at will, nor the database's thread. Used by both servers. NaN except on Linux with glibc.
 */
import { setTimeout as wait } from "node:timers/promises"
import { getHeapSpaceStatistics } from "node:v8"
import { nativeHeapOf, residentOf } from "../../src/command-line/bench/process-figures.ts"

export interface Memory {
  /** Bytes that the system counts, of all threads. */
  readonly resident: number
  /** Bytes of old spaces and native heap. */
  readonly held: number
  /** Bytes of living JavaScript objects. */
  readonly heap: number
  /** Bytes of buffers that these own: large ones are in neither of the above. */
  readonly buffers: number
}

const look = (): Memory => {
  // Twice, because only the second collection moves objects that survive from the young to the old space.
  for (let times = 0; times < 2; times++) globalThis.gc?.()
  const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("new_"))
  const spaces = old.reduce((sum, { space_size }) => sum + space_size, 0)
  return {
    resident: residentOf(process.pid),
    held: spaces + nativeHeapOf(process.pid),
    heap: process.memoryUsage().heapUsed,
    buffers: process.memoryUsage().arrayBuffers,
  }
}

const betweenLooks = 500
const mostLooks = 40
/** The server counts as idle when its memory changes by less than this twice in a row. */
const stillBytes = 64 * 1024

/** Waits until earlier requests are done and their garbage is collected; answers the memory then. */
export const settledMemory = async (): Promise<Memory> => {
  let last = look()
  let quiet = 0
  for (let looks = 0; looks < mostLooks && quiet < 2; looks++) {
    await wait(betweenLooks)
    const now = look()
    quiet = Math.abs(now.heap - last.heap) < stillBytes && Math.abs(now.held - last.held) < stillBytes ? quiet + 1 : 0
    last = now
  }
  return last
}
