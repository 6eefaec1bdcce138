/**
 * Loaded into the server's process before its program (`node --import`): tells its runner, on request, the longest block
 * of the event loop and which threads are the embedded database's. The channel to the runner does not keep the server
 * alive.
 */
import { readdir } from "node:fs/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { threadsOf } from "../../src/command-line/bench/process-figures.ts"

const resolution = 1
const blocks = monitorEventLoopDelay({ resolution })

// Starts the thread pool of the file system first, so that the only new thread later is the database's.
await Promise.all(Array.from({ length: 8 }, () => readdir(".")))
const before = threadsOf(process.pid)

process.on("message", (wanted) => {
  if (wanted === "threads") {
    process.send?.({ databaseThreads: threadsOf(process.pid).filter((id) => !before.includes(id)) })
  } else if (wanted === "watch") {
    blocks.reset()
    blocks.enable()
    process.send?.({ watching: true })
  } else if (wanted === "report") {
    blocks.disable()
    process.send?.({ longestBlock: blocks.max / 1e6 })
  }
})
process.channel?.unref()
