/**
 * Loaded into the server's process before its program (`node --import`): tells its runner, on request, the longest block
 * of the event loop. The channel to the runner does not keep the server alive.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"

const resolution = 1
const blocks = monitorEventLoopDelay({ resolution })

process.on("message", (wanted) => {
  if (wanted === "watch") {
    blocks.reset()
    blocks.enable()
    process.send?.({ watching: true })
  } else if (wanted === "report") {
    blocks.disable()
    process.send?.({ longestBlock: blocks.max / 1e6 })
  }
})
process.channel?.unref()
