/**
 * Typing indicators: each is an actor of the typing machine, which exists while somebody types. Used by typing.ts and
 * edit-typing.ts, which say to whom they are announced.
 */
import * as Effect from "effect/Effect"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import type { RealmId } from "../../../ids.ts"
import { createTypingActor, type TypingOp } from "./typing-machine.ts"

interface TypingIndicator {
  readonly say: (op: TypingOp) => void
  readonly stop: () => void
  /** Announces to the receivers; set anew by each request. */
  announce: (op: TypingOp) => void
}

interface IndicatorsOptions {
  readonly clock: ClockShape
  readonly expiryMilliseconds: number
  /** The most indicators at the same time. */
  readonly most: number
}

/** The active indicators of one realm. */
export class TypingIndicators {
  readonly #options: IndicatorsOptions
  readonly #lit = new Map<string, TypingIndicator>()

  constructor(options: IndicatorsOptions) {
    this.#options = options
  }

  get count(): number {
    return this.#lit.size
  }

  /** Handles a start or stop of a client. Calls `announce` at once, and again when the indicator expires. */
  tell(key: string, op: TypingOp, announce: (op: TypingOp) => void): void {
    const known = this.#lit.get(key)
    // Beyond the limit a start is announced without a timer: a refusal would not help the typist, and clients hide an
    // indicator by themselves after the same time.
    if (known === undefined && this.#lit.size >= this.#options.most) return announce(op)
    const indicator = known ?? this.#create(key, announce)
    indicator.announce = announce
    indicator.say(op)
  }

  /** Stops an indicator because what it tells of is over; nothing is announced where there is none. */
  end(key: string): void {
    this.#lit.get(key)?.say("stop")
  }

  /** Ends all indicators without announcing anything. */
  stop(): void {
    for (const indicator of this.#lit.values()) indicator.stop()
    this.#lit.clear()
  }

  #create(key: string, announce: (op: TypingOp) => void): TypingIndicator {
    const actor = createTypingActor(this.#options.clock, this.#options.expiryMilliseconds)
    const indicator: TypingIndicator = {
      say: (op) => actor.send({ type: op }),
      stop: () => void actor.stop(),
      announce,
    }
    actor.on("announce", ({ op }) => indicator.announce(op))
    actor.start()
    actor.subscribe((snapshot) => {
      if (!snapshot.matches("silent")) return
      this.#lit.delete(key)
      actor.stop()
    })
    this.#lit.set(key, indicator)
    return indicator
  }
}

/** The most indicators of a realm at the same time: 5.6 kB each, so 56 MB. */
const mostIndicators = 10_000

/**
 * Gives the indicators of a realm, made when they are first asked for (`begun` is called then). They end with the scope: no
 * indicator may expire in a realm that has stopped.
 */
export const realmIndicators = Effect.gen(function* () {
  const clock = yield* Clock
  const { limits } = yield* Config
  const options = { clock, expiryMilliseconds: limits.typingStartedExpiryMilliseconds, most: mostIndicators }
  const byRealm = new Map<RealmId, TypingIndicators>()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const indicators of byRealm.values()) indicators.stop()
    }),
  )
  return (id: RealmId, begun?: (indicators: TypingIndicators) => void): TypingIndicators => {
    const known = byRealm.get(id)
    if (known !== undefined) return known
    const fresh = new TypingIndicators(options)
    byRealm.set(id, fresh)
    begun?.(fresh)
    return fresh
  }
})
