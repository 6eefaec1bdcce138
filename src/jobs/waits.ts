/** Waits by the clock of the server, and what goes on beside a work as long as that lasts. */
import * as Effect from "effect/Effect"
import type { ClockShape } from "../clock.ts"

export const pause = (clock: ClockShape, milliseconds: number): Effect.Effect<void> =>
  milliseconds <= 0
    ? Effect.void
    : Effect.callback<void>((resume) => {
        const timer = clock.after(milliseconds, () => resume(Effect.void))
        return Effect.sync(() => timer.cancel())
      })

/** Does `work` while a claim on it, which is so long, is renewed. Where that cannot be done for a moment the claim may end. */
export const whileRenewing = <A, E, R>(
  clock: ClockShape,
  claimMilliseconds: number,
  renew: Effect.Effect<unknown, unknown>,
  work: Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R> =>
  Effect.raceFirst(work, Effect.forever(Effect.andThen(pause(clock, claimMilliseconds / 3), Effect.ignore(renew))))
