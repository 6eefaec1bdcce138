/**
 * Hashes passwords (password-hash.ts) in threads of their own that give way to all others, and checks them. A hash that was
 * made with weaker parameters is still known, and renewed by identify.ts when its owner signs in. Tests choose cheap ones
 * by the configuration.
 */
import { timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Unavailable } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { type RestAfterTurn, realRest } from "../../../fairness/fair-turns.ts"
import { Refusals, type RefusalsShape } from "../../../fairness/refusals.ts"
import { type Hasher, makeHasher } from "./hasher.ts"
import { derive, type HashParameters, newHash, parametersOf } from "./password-hash.ts"

/** Hashes computed at the same time: a processor is always left for everything else. */
const atOnce = availableParallelism() > 2 ? 2 : 1
/** The most passwords being hashed or waiting: 8 to 16 seconds of work and rests. Others are answered 503. */
const mostUnderWay = 32

/** In UTF-16 units; checked before normalisation, whose time grows with the square of a hostile text. */
export const longestPassword = 100

interface PasswordsShape {
  /** Answers `scrypt$N$r$p$salt$key`, salt and key in base64url. */
  readonly hash: (password: string) => Effect.Effect<string, Unavailable>
  /** `stored`: null for an account that does not exist or has no password; takes as long, and is false. */
  readonly matches: (password: string, stored: string | null) => Effect.Effect<boolean, Unavailable>
  /** Made with parameters that a guess takes less time or memory for than with the present ones. */
  readonly isWeak: (stored: string) => boolean
}

interface StoredHash extends HashParameters {
  readonly salt: Buffer
  readonly key: Buffer
}

const readHash = (stored: string): StoredHash => {
  const [, n = "", r = "", p = "", salt = "", key = ""] = stored.split("$")
  const [saltBytes, known] = [Buffer.from(salt, "base64url"), Buffer.from(key, "base64url")]
  return { n: Number(n), r: Number(r), p: Number(p), salt: saltBytes, key: known }
}

const memory = ({ n, r }: HashParameters): number => n * r
const work = (parameters: HashParameters): number => memory(parameters) * parameters.p

export const makePasswords = (
  cost: number | undefined,
  refusals: RefusalsShape,
  hasher: Hasher,
  rest: RestAfterTurn = realRest,
): PasswordsShape => {
  const present = parametersOf(cost)
  /** A hash of no password, checked for unknown accounts so that they take as long to refuse as known ones. */
  const nobody = ["scrypt", present.n, present.r, present.p, "A".repeat(22), "A".repeat(43)].join("$")
  const places = Semaphore.makeUnsafe(atOnce)
  let underWay = 0

  /**
   * While others wait, a hash is followed by a rest as long as itself: a flood of guesses takes half a processor, which
   * somebody who signs in then waits for a little longer, and nobody else.
   */
  const endTurn = (began: number): void => {
    underWay--
    rest(underWay > 0 ? performance.now() - began : 0, () => void Effect.runSync(places.release(1)))
  }

  const inTurn = <A>(turn: Effect.Effect<A>): Effect.Effect<A, Unavailable> =>
    Effect.suspend(() => {
      if (underWay >= mostUnderWay) {
        refusals.note("passwords at once", "all together")
        return Effect.fail(new Unavailable({ reason: "too many passwords at once" }))
      }
      underWay++
      return Effect.andThen(
        places.take(1),
        Effect.suspend(() => {
          const began = performance.now()
          return Effect.ensuring(
            turn,
            Effect.sync(() => endTurn(began)),
          )
        }),
      )
    })

  /** Does the work that a check of `stored` is short of a new hash's: the time must not tell who has an old one. */
  const fillUp = (stored: StoredHash): Effect.Effect<void> => {
    const p = Math.floor((work(present) - work(stored)) / memory(present))
    return p < 1 ? Effect.void : Effect.asVoid(derive(hasher, "", stored.salt, { ...present, p }))
  }

  const matches: PasswordsShape["matches"] = (password, stored) => {
    if (password.length > longestPassword) return matches("", null)
    const known = readHash(stored ?? nobody)
    const check = Effect.map(
      derive(hasher, password, known.salt, known),
      (derived) => derived.length === known.key.length && timingSafeEqual(derived, known.key) && stored !== null,
    )
    return inTurn(Effect.tap(check, (isRight) => (isRight ? Effect.void : fillUp(known))))
  }

  return {
    hash: (password) => inTurn(newHash(hasher, password, present)),
    matches,
    isWeak: (stored) => {
      const hash = readHash(stored)
      return memory(hash) < memory(present) || work(hash) < work(present)
    },
  }
}

export class Passwords extends Context.Service<Passwords, PasswordsShape>()("parley/chat/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.gen(function* () {
      const { passwordCost } = yield* Config
      const hasher = yield* Effect.acquireRelease(Effect.sync(makeHasher), ({ close }) => Effect.promise(close))
      return makePasswords(passwordCost, yield* Refusals, hasher)
    }),
  )
}
