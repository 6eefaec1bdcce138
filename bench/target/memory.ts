/**
 * What a server's process holds in memory, when it is quiet: asked for by the runner at a plateau, to be compared with
 * the next one. It counts the pages of V8's old spaces and the native heap of the main thread, where
 * uWebSockets.js keeps its sockets; the young space, which V8 shrinks when it likes, and the database's thread are left
 * out. Both servers answer with it. NaN elsewhere than on Linux with glibc.
 */
import { setTimeout as wait } from "node:timers/promises"
import { getHeapSpaceStatistics } from "node:v8"
import { nativeHeapOf, residentOf } from "../proc.ts"

export interface Memory {
  /** Bytes that the system counts, of all threads. */
  readonly resident: number
  /** Bytes of old spaces and native heap. */
  readonly held: number
  /** Bytes of living JavaScript objects. */
  readonly heap: number
}

const look = (): Memory => {
  // Twice: what survives the first collection is young still, the second one moves it.
  for (let times = 0; times < 2; times++) globalThis.gc?.()
  const old = getHeapSpaceStatistics().filter(({ space_name }) => !space_name.startsWith("new_"))
  const spaces = old.reduce((sum, { space_size }) => sum + space_size, 0)
  return {
    resident: residentOf(process.pid),
    held: spaces + nativeHeapOf(process.pid),
    heap: process.memoryUsage().heapUsed,
  }
}

const betweenLooks = 500
const mostLooks = 40
/** Quiet is what changes by less, twice in a row. */
const stillBytes = 64 * 1024

/** Requests that were just sent have arrived by then, and what they left behind is gone. */
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
