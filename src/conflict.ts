/**
 * A decision by a record that was read before may be overtaken: somebody has changed the record since. Then it is read
 * anew, and decided again by what it is now.
 */
import * as Effect from "effect/Effect"

/** The answer of an attempt whose record was changed after it was read. */
export const conflict = Symbol("conflict")
export type Conflict = typeof conflict

/** Repeats an attempt until it is not overtaken, so many times at most; then does `otherwise`. */
export const retryOnConflict = Effect.fnUntraced(function* <A, E, R, B, F, S>(
  mostTries: number,
  attempt: Effect.Effect<A | Conflict, E, R>,
  otherwise: Effect.Effect<B, F, S>,
): Effect.fn.Return<A | B, E | F, R | S> {
  for (let tries = 0; tries < mostTries; tries++) {
    const answer = yield* attempt
    if (answer !== conflict) return answer
  }
  return yield* otherwise
})
