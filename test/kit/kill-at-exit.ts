/** The last resort for programs that tests start: a test that is ended from outside takes them with it. */
import type { ChildProcess } from "node:child_process"

const started = new Map<ChildProcess, NodeJS.Signals>()
let isHooked = false

/** Ends a program with this process, however that ends, where it has not ended by itself. */
export const killAtExit = (child: ChildProcess, signal: NodeJS.Signals): void => {
  if (!isHooked)
    process.once("exit", () => {
      for (const [each, how] of started) each.kill(how)
    })
  isHooked = true
  started.set(child, signal)
  child.once("exit", () => started.delete(child))
}
