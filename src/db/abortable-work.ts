/**
 * Work of promises that takes a while to stop: what interrupts it waits until it has. Else whatever is held meanwhile, a lock
 * or a turn, would be let go while the work still changes things.
 */
import * as Effect from "effect/Effect"

/** `signal` is aborted by an interruption. `failed` makes the error of what rejects. */
export const abortableWork = <E>(
  work: (signal: AbortSignal) => Promise<void>,
  failed: (error: unknown) => E,
): Effect.Effect<void, E> =>
  Effect.callback<void, E>((resume, signal) => {
    const settled = work(signal).then(
      () => resume(Effect.void),
      (error: unknown) => resume(Effect.fail(failed(error))),
    )
    return Effect.promise(() => settled)
  })

/** Does one piece of work after the other, each when the one before has settled, however that went. */
export const oneByOne = () => {
  let last: Promise<unknown> = Promise.resolve()
  return (work: () => Promise<void>): Promise<void> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
