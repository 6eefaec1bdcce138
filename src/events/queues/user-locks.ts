/**
 * Work of one user that must not run twice at the same time; that of different users may. Used by queues.ts for making
 * queues, and by chat/ground/requester/submit.ts for changing records.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { UserId } from "../../ids.ts"

interface Lock {
  readonly semaphore: Semaphore.Semaphore
  /** Number of those who hold the lock or wait for it. */
  holders: number
}

export class UserLocks {
  readonly #byUser = new Map<UserId, Lock>()

  run<A, E, R>(user: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      const lock = this.#byUser.get(user) ?? { semaphore: Semaphore.makeUnsafe(1), holders: 0 }
      this.#byUser.set(user, lock)
      lock.holders++
      return Effect.ensuring(
        lock.semaphore.withPermits(1)(work),
        Effect.sync(() => {
          lock.holders--
          if (lock.holders === 0) this.#byUser.delete(user)
        }),
      )
    })
  }
}
