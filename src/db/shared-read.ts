/**
 * A read for many who ask for what is true now: one is under way, and who comes meanwhile waits for the next, because what is
 * being read may be older than their question. So a thousand at once cost two statements.
 */
import * as Effect from "effect/Effect"
import { forEachInSlices } from "../slices.ts"

/** Whoever goes on does so in a task of its own; after an outage thousands may, and they go on in slices. */
const fewWaiting = 100

export const sharedRead = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> => {
  let waiting: Array<(outcome: Effect.Effect<A, E>) => void> = []
  let isReading = false

  const work = Effect.gen(function* () {
    while (waiting.length > 0) {
      const resumes = waiting
      waiting = []
      const exit = yield* Effect.exit(read)
      if (resumes.length <= fewWaiting) for (const resume of resumes) resume(exit)
      else yield* Effect.forkDetach(forEachInSlices(resumes, (resume) => resume(exit)))
    }
    isReading = false
  })

  return Effect.callback((resume) => {
    waiting.push(resume)
    if (isReading) return
    isReading = true
    Effect.runFork(work)
  })
}
