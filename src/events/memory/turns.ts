/** Work of one user that must not run twice at the same time, as making queues; that of different users may. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { UserId } from "../../ids.ts"

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  /** How much work holds the turn or waits for it. */
  users: number
}

export class Turns {
  readonly #byUser = new Map<UserId, Turn>()

  run<A, E, R>(user: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const turn = this.#byUser.get(user) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
      this.#byUser.set(user, turn)
      turn.users++
      return Effect.ensuring(
        turn.semaphore.withPermits(1)(work),
        Effect.sync(() => {
          turn.users--
          if (turn.users === 0) this.#byUser.delete(user)
        }),
      )
    })
  }
}
