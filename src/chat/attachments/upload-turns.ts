/**
 * Uploads at once: each holds a connection, an open file and what one read of its connection brings. A few of a user go
 * on at a time and the next ones wait, with nothing read of them, so that somebody who uploads slowly takes the places of
 * nobody else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../clock.ts"
import { type ApiError, serviceUnavailable } from "../../errors.ts"
import { awaitTurn, FairTurns } from "../../fair-turns.ts"
import { Refusals } from "../../refusals.ts"

interface UploadTurnsShape {
  /** Runs `upload` in its turn; `owner`: who uploads, as turns are counted. */
  readonly run: <A, E, R>(owner: string, upload: Effect.Effect<A, E, R>) => Effect.Effect<A, E | ApiError, R>
}

const turnLimits = { capacity: 32, perOwner: 4, ownerWaiting: 20, allWaiting: 200 }
const longestWaitMilliseconds = 60_000

export class UploadTurns extends Context.Service<UploadTurns, UploadTurnsShape>()("parley/chat/UploadTurns") {
  static readonly layer = Layer.effect(
    UploadTurns,
    Effect.gen(function* () {
      const clock = yield* Clock
      const refusals = yield* Refusals
      const turns = new FairTurns(turnLimits)
      const turn = (owner: string) =>
        Effect.catch(awaitTurn(turns, clock, { owner, cost: 1 }, longestWaitMilliseconds), () => {
          refusals.note("uploads at once", owner)
          return Effect.fail(serviceUnavailable(5))
        })
      return {
        run: (owner, upload) =>
          Effect.acquireUseRelease(
            turn(owner),
            () => upload,
            (begun) => Effect.sync(() => turns.leave(begun)),
          ),
      }
    }),
  )
}
