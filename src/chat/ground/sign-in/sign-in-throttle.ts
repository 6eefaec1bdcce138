/**
 * Limits how often passwords can be guessed: so many failures per account name, whether or not the account exists, and
 * so many per network address. A guess is counted before it is checked, so that many at the same time do not get past
 * the limit, and taken back if the password was right. While a check is still running, the refusal asks to try again in
 * a second. Where several processes serve the database each tells the others of its failures at once. Called by fetch-key.ts
 * and identify.ts.
 */
import { createHash } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Checked, rateLimited } from "../../../api/errors.ts"
import { Clock, type ClockShape } from "../../../clock.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { noNotes } from "../../../events/peers/notes.ts"
import { makeRateCounter, type RateLimits } from "../../../fairness/rate-counter.ts"
import { Refusals, type RefusalsShape } from "../../../fairness/refusals.ts"
import type { RealmId } from "../../../ids.ts"
import { fold } from "../realm/domain-values.ts"
import { Realms } from "../realm/realms.ts"

export interface PasswordGuess {
  /** Must be called once. `wasWrong`: false also if the password could not be checked. */
  readonly end: (wasWrong: boolean) => void
}

type BeginGuess = (realm: RealmId, name: string, address: string) => Checked<PasswordGuess>

interface ThrottleShape {
  /** `address`: the network address of the client. Fails with 429 if there were too many failures. */
  readonly begin: BeginGuess
  /** The same with counts of its own: for guesses at what is checked beside the directory while that is silent. */
  readonly beginAside: BeginGuess
}

const msPerMinute = 60_000
/** 12 MB for each counter; twice that with the keys of the previous window. */
const mostKeys = 50_000

/** No name is longer; normalisation takes a time that grows with the square of a hostile text. */
const longestName = 256

/**
 * One text for all spellings that a directory may take for the same name: it may ignore spaces, accents, the forms of
 * letters and what is not to be seen. Else each spelling would have guesses of its own.
 */
const plainName = (name: string): string =>
  fold(
    name
      .slice(0, longestName)
      .normalize("NFKD")
      .replace(/[\p{M}\p{Z}\p{C}]/gu, ""),
  )

/** A hash of the name, which would keep the memory of its request from being freed. */
const nameKey = (realm: RealmId, name: string): string =>
  createHash("sha256")
    .update(`${realm}:${plainName(name)}`)
    .digest("base64")

const free: PasswordGuess = { end: () => {} }

/** Seconds to wait for running checks: longer than a check usually takes. */
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
    /** One that another process has seen. */
    hear: (key: string): void => counter.add(key, 1),
    end: (key: string, wasWrong: boolean): void => {
      const others = (underWay.get(key) ?? 0) - 1
      if (others > 0) underWay.set(key, others)
      else underWay.delete(key)
      if (!wasWrong) counter.takeBack(key)
    },
  }
}

/** How processes tell each other of failures. */
const subject = "wrong-passwords"
const longestKey = 64
const Key = Schema.String.check(Schema.isMaxLength(longestKey))
/** Whose counts, of which name and of which address. */
const readTold = Schema.decodeUnknownOption(Schema.Tuple([Schema.Literals(["usual", "aside"]), Key, Key]))

/** `tell`: called with the keys of a failure. */
const makeGuesses = (
  clock: ClockShape,
  limits: Limits,
  refusals: RefusalsShape,
  tell: (name: string, address: string) => void,
) => {
  const windowMs = limits.signInFailureMinutes * msPerMinute
  const names = makeFailures(clock, { windowMs, mostKeys, limit: limits.signInFailures })
  const addresses = makeFailures(clock, { windowMs, mostKeys, limit: limits.signInFailuresPerAddress })

  const begin: BeginGuess = (realm, name, address) => {
    const key = nameKey(realm, name)
    const wait = Math.max(names.waitFor(key), addresses.waitFor(address))
    if (wait > 0) {
      refusals.note("failed sign-ins", address)
      return Result.fail(rateLimited(wait, "Too many attempts to sign in: wait before the next one"))
    }
    names.begin(key)
    addresses.begin(address)
    return Result.succeed({
      end: (wasWrong) => {
        names.end(key, wasWrong)
        addresses.end(address, wasWrong)
        if (wasWrong) tell(key, address)
      },
    })
  }
  const hear = (name: string, address: string): void => {
    names.hear(name)
    addresses.hear(address)
  }
  return { begin, hear }
}

export class SignInThrottle extends Context.Service<SignInThrottle, ThrottleShape>()("parley/chat/SignInThrottle") {
  static readonly layer = Layer.effect(
    SignInThrottle,
    Effect.gen(function* () {
      const { rateLimit, limits, processes } = yield* Config
      const clock = yield* Clock
      const refusals = yield* Refusals
      const admitAll = () => Result.succeed(free)
      if (!rateLimit) return SignInThrottle.of({ begin: admitAll, beginAside: admitAll })
      const notes = processes?.sharesLimits === true ? (yield* Realms).everywhere : noNotes
      const make = (whose: "usual" | "aside") =>
        makeGuesses(clock, limits, refusals, (...keys) => notes.tell(subject, [whose, ...keys]))
      const guesses = { usual: make("usual"), aside: make("aside") }
      notes.hear(subject, (body) => {
        const told = Option.getOrNull(readTold(body))
        if (told !== null) guesses[told[0]].hear(told[1], told[2])
      })
      return SignInThrottle.of({ begin: guesses.usual.begin, beginAside: guesses.aside.begin })
    }),
  )
}
