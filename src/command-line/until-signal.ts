/** Commands that a signal ends in good order: what is held is released, and what was begun is taken back. */
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"

/** With `uninterruptible` only those parts of the work end that say `Effect.interruptible`. */
export const untilSignal = async <A, E>(
  work: Effect.Effect<A, E>,
  options: { readonly uninterruptible?: boolean } = {},
): Promise<Exit.Exit<A, E>> => {
  const interruption = new AbortController()
  const stop = () => interruption.abort()
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop)
  try {
    return await Effect.runPromiseExit(work, { ...options, signal: interruption.signal })
  } finally {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.off(signal, stop)
  }
}
