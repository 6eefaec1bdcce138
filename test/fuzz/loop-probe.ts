/**
 * Loaded into the server's process before its program (`node --import`): tells whoever started it each block of the event
 * loop, and how much of it the loop's own thread has worked, because on a busy machine a loop is late by others. The channel
 * does not keep the server alive.
 */
import { readFileSync } from "node:fs"

const everyMilliseconds = 5
const leastBlock = 15

/** Milliseconds that the main thread has run; where the system does not say, the time that has passed. */
const ran = (): number => {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6
  } catch {
    return performance.now()
  }
}

let at = performance.now()
let ranAt = ran()
setInterval(() => {
  const now = performance.now()
  const ranNow = ran()
  const block = now - at - everyMilliseconds
  if (block > leastBlock) process.send?.({ block, own: ranNow - ranAt, endedAt: Date.now() })
  at = now
  ranAt = ranNow
}, everyMilliseconds).unref()
process.channel?.unref()
