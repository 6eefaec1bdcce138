/**
 * Watches the decoder's process from a thread of its own, because a file may keep its other threads from doing anything
 * else: where one takes more of the processor or of memory than a picture does, the process ends at once.
 */
import { setTimeout } from "node:timers/promises"
import { workerData } from "node:worker_threads"

/** The largest picture takes half of it. */
const mostBytes = 768 * 2 ** 20
const lookMilliseconds = 100

/** Microseconds of a processor that the process may have used by the end of its present work; 0 while it has none. */
const [allowed]: ReadonlyArray<unknown> = Array.isArray(workerData) ? workerData : []
if (!(allowed instanceof Float64Array)) throw new Error("there is nothing to watch")

for (;;) {
  await setTimeout(lookMilliseconds)
  const { user, system } = process.cpuUsage()
  const limit = allowed[0] ?? 0
  if ((limit > 0 && user + system > limit) || process.memoryUsage.rss() > mostBytes)
    process.kill(process.pid, "SIGKILL")
}
