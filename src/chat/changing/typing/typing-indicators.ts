/**
 * Typing indicators: each is an actor of the typing machine, which exists while somebody types. Used by typing.ts and
 * edit-typing.ts. What a client says goes to the other processes, too, and each has an indicator of its own: it computes who
 * hears of it, and its expiry tells only the clients that are there. So what a process has lit goes out where that one has ended.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { inSet, type LogRow, type UserSet } from "../../../events/event.ts"
import type { RealmId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type RealmRuntime, Realms } from "../../ground/realm/realms.ts"
import { createTypingActor, type TypingOp } from "./typing-machine.ts"

interface TypingIndicator {
  readonly say: (op: TypingOp) => void
  readonly stop: () => void
  /** Announces to the receivers; set anew by each start and stop. */
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

  /** Handles a start or stop. Calls `announce` at once, and again when the indicator expires. */
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

/** A kind of indicator. `Said`: a start or stop as processes tell it each other. */
export interface IndicatorKind<Said extends JsonObject & { readonly op: TypingOp }> {
  /** Of its events. */
  readonly type: string
  readonly said: Schema.Codec<Said, JsonObject>
  /** Within a realm. */
  readonly keyOf: (said: Said) => string
  /** The event and who hears of it, as it is now; null: nobody. */
  readonly event: (
    realm: Realm,
    said: Said,
    limits: Limits,
  ) => { readonly payload: JsonObject; readonly users: UserSet } | null
  /** The keys of those whose occasion a row has ended. */
  readonly endedBy?: (row: LogRow) => ReadonlyArray<string>
}

/**
 * Answers how a start or stop of a client is announced, here and elsewhere. The indicators of a realm are made when they are first
 * needed, and end with the scope: none may expire in a realm that has stopped.
 */
export const makeIndicators = <Said extends JsonObject & { readonly op: TypingOp }>(kind: IndicatorKind<Said>) =>
  Effect.gen(function* () {
    const { type, keyOf, event, endedBy } = kind
    const clock = yield* Clock
    const realms = yield* Realms
    const { limits } = yield* Config
    const options = { clock, expiryMilliseconds: limits.typingStartedExpiryMilliseconds, most: mostIndicators }
    const byRealm = new Map<RealmId, TypingIndicators>()
    let isOver = false
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isOver = true
        for (const indicators of byRealm.values()) indicators.stop()
      }),
    )

    const indicatorsOf = ({ realm, watchRows }: RealmRuntime): TypingIndicators => {
      const known = byRealm.get(realm.id)
      if (known !== undefined) return known
      const made = new TypingIndicators(options)
      byRealm.set(realm.id, made)
      if (endedBy !== undefined)
        watchRows((row) => {
          if (made.count > 0) for (const key of endedBy(row)) made.end(key)
        })
      return made
    }

    /** To the clients of this process. */
    const announceHere = (runtime: RealmRuntime, said: Said): void => {
      if (isOver) return
      const { realm, announce } = runtime
      indicatorsOf(runtime).tell(keyOf(said), said.op, (op) => {
        // Computed again at the expiry: people may have come and gone meanwhile.
        const found = event(realm, { ...said, op }, limits)
        if (found === null) return
        const { payload, users } = found
        announce({ type, payload }, { users, includes: (user) => inSet(users, user) })
      })
    }

    const isSaid = Schema.is(kind.said)
    realms.whenLoaded((runtime) =>
      runtime.notes.hear(type, (body) => {
        if (isSaid(body)) announceHere(runtime, body)
      }),
    )
    return (runtime: RealmRuntime, said: Said): void => {
      announceHere(runtime, said)
      runtime.notes.tell(type, said)
    }
  })
