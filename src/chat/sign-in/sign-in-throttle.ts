/**
 * How often a password may be guessed: so many failures for one name, whoever tries and whether anybody has the name,
 * and so many from one address. A guess counts from before it is checked, so that a thousand at once are no way round,
 * and no more once the password was right; who is refused only because of such guesses is told to come back soon. Asked by
 * fetch-key.ts.
 */
import { createHash } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Clock, type ClockShape } from "../../clock.ts"
import { Config } from "../../config.ts"
import { type ApiError, rateLimited } from "../../errors.ts"
import type { RealmId } from "../../ids.ts"
import { makeRateCounter, type RateLimits } from "../../rate-counter.ts"
import { fold } from "../realm/values.ts"

export interface Guess {
  /** To be called once; `wasWrong` is false also where the password could not be checked. */
  readonly end: (wasWrong: boolean) => void
}

interface ThrottleShape {
  /** `address` is the visitor's; the failure is a 429, whatever the password. */
  readonly begin: (realm: RealmId, name: string, address: string) => Result.Result<Guess, ApiError>
}

const msPerMinute = 60_000
/** 12 MB for each counter, with those of the window before twice that. */
const mostKeys = 50_000

/** Of one length: a name is as long as its sender likes, and may keep the request it came in from being freed. */
const nameKey = (realm: RealmId, name: string): string =>
  createHash("sha256")
    .update(`${realm}:${fold(name)}`)
    .digest("base64")

const free: Guess = { end: () => {} }

/** Longer than a check usually takes. */
const soonSeconds = 1

const makeFailures = (clock: ClockShape, limits: RateLimits) => {
  const counter = makeRateCounter<string>(clock, limits)
  const underWay = new Map<string, number>()
  return {
    /** Seconds until a guess is admitted; 0: now. */
    waitFor: (key: string): number => {
      const wait = counter.peek(key).waitSeconds ?? 0
      return underWay.has(key) ? Math.min(wait, soonSeconds) : wait
    },
    begin: (key: string): void => {
      counter.count(key)
      underWay.set(key, (underWay.get(key) ?? 0) + 1)
    },
    end: (key: string, wasWrong: boolean): void => {
      const others = (underWay.get(key) ?? 0) - 1
      if (others > 0) underWay.set(key, others)
      else underWay.delete(key)
      if (!wasWrong) counter.takeBack(key)
    },
  }
}

export class SignInThrottle extends Context.Service<SignInThrottle, ThrottleShape>()("parley/chat/SignInThrottle") {
  static readonly layer = Layer.effect(
    SignInThrottle,
    Effect.gen(function* () {
      const { rateLimit, limits } = yield* Config
      const clock = yield* Clock
      if (!rateLimit) return SignInThrottle.of({ begin: () => Result.succeed(free) })
      const windowMs = limits.signInFailureMinutes * msPerMinute
      const names = makeFailures(clock, { windowMs, mostKeys, limit: limits.signInFailures })
      const addresses = makeFailures(clock, { windowMs, mostKeys, limit: limits.signInFailuresPerAddress })

      const begin: ThrottleShape["begin"] = (realm, name, address) => {
        const key = nameKey(realm, name)
        const wait = Math.max(names.waitFor(key), addresses.waitFor(address))
        if (wait > 0) return Result.fail(rateLimited(wait, "Too many attempts to sign in: wait before the next one"))
        names.begin(key)
        addresses.begin(address)
        return Result.succeed({
          end: (wasWrong) => {
            names.end(key, wasWrong)
            addresses.end(address, wasWrong)
          },
        })
      }
      return SignInThrottle.of({ begin })
    }),
  )
}
