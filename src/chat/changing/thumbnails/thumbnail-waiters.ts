/** Requests that wait for the thumbnails of a picture, each for a while. Used by thumbnail-work.ts. */
import * as Effect from "effect/Effect"
import { type ApiError, serviceUnavailable } from "../../../api/errors.ts"
import type { ClockShape } from "../../../clock.ts"
import type { RefusalsShape } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"

/** Milliseconds that a request waits for a thumbnail at most, and the most requests that wait. */
const longestWaitMilliseconds = 15_000
const mostWaiting = 500

const keyOf = (realm: RealmId, id: number): string => `${realm} ${id}`

export class ThumbnailWaiters {
  readonly #clock: ClockShape
  readonly #refusals: RefusalsShape
  /** Callbacks for when a picture has been worked on, by realm and id. */
  readonly #waiting = new Map<string, Set<() => void>>()
  #count = 0

  constructor(clock: ClockShape, refusals: RefusalsShape) {
    this.#clock = clock
    this.#refusals = refusals
  }

  /** Waits until a picture has been worked on. */
  wait(realm: RealmId, id: number): Effect.Effect<void, ApiError> {
    return Effect.callback((resume) => {
      const busy = () => {
        this.#refusals.note("thumbnails at once", `realm ${realm}`)
        resume(Effect.fail(serviceUnavailable(5)))
      }
      if (this.#count >= mostWaiting) return busy()
      const key = keyOf(realm, id)
      const end = () => {
        timer.cancel()
        const tasks = this.#waiting.get(key)
        if (tasks?.delete(done) === true) this.#count -= 1
        if (tasks?.size === 0) this.#waiting.delete(key)
      }
      const done = () => {
        end()
        resume(Effect.void)
      }
      const timer = this.#clock.after(longestWaitMilliseconds, () => {
        end()
        busy()
      })
      this.#waiting.set(key, (this.#waiting.get(key) ?? new Set()).add(done))
      this.#count += 1
      return Effect.sync(end)
    })
  }

  /** The picture has been worked on. */
  wake(realm: RealmId, id: number): void {
    for (const done of [...(this.#waiting.get(keyOf(realm, id)) ?? [])]) done()
  }
}
