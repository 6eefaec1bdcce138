/** Work on the files of an open embedded database: after a checkpoint, and before the next one (copy-cluster.ts says why). */
import type { Worker } from "node:worker_threads"
import type { StatementChannel, StatementOutcome } from "../statement.ts"
import type { ToWorker } from "./pglite-messages.ts"

export interface CheckpointSource {
  readonly thread: Worker
  /** Sends statements to that thread. */
  readonly send: StatementChannel["send"]
  readonly signal: AbortSignal
}

/** `work` is told to end when the thread has, because the next one begins with a checkpoint. Rejects then. */
export const sinceCheckpoint = async (
  { thread, send, signal }: CheckpointSource,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const ending = new AbortController()
  const end = () => ending.abort(new Error("the database was lost meanwhile"))
  const hold = (isHeld: boolean) => {
    const message: ToWorker = { kind: "hold-upkeep", isHeld }
    thread.postMessage(message)
  }
  thread.once("exit", end)
  hold(true)
  try {
    await new Promise<void>((resolve, reject) => {
      const settle = (outcome: StatementOutcome) =>
        outcome.kind === "rows" ? resolve() : reject(new Error(`a checkpoint failed: ${outcome.reason}`))
      const rest = { parameters: [], script: false, yields: false, plan: "custom", abandoned: false } as const
      send({ ...rest, sql: "checkpoint", settle })
    })
    await work(AbortSignal.any([signal, ending.signal]))
    ending.signal.throwIfAborted()
  } finally {
    thread.off("exit", end)
    hold(false)
  }
}
