/**
 * Password hashes by scrypt of node:crypto, which needs much memory and time by design: 32 MiB and about 240 ms each, in
 * threads of their own that give way to all others. The parameters are part of each hash: one that was made with weaker
 * ones is still known, and renewed by fetch-key.ts when its owner signs in. Tests choose cheap ones by the configuration.
 */
import { randomBytes, timingSafeEqual } from "node:crypto"
import { availableParallelism } from "node:os"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Unavailable } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { type Rest, realRest } from "../../../fairness/fair-turns.ts"
import { Refusals, type RefusalsShape } from "../../../fairness/refusals.ts"
import { type Hasher, makeHasher } from "./hasher.ts"

/**
 * N of scrypt. With p = 3 one of the choices that OWASP's Password Storage Cheat Sheet holds equivalent; N = 2^17 with
 * p = 1 would take 128 MiB for each hash.
 */
const usualCost = 2 ** 15
const blockSize = 8
const parallel = 3
const keyBytes = 32
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

interface Parameters {
  readonly n: number
  readonly r: number
  readonly p: number
}

interface StoredHash extends Parameters {
  readonly salt: Buffer
  readonly key: Buffer
}

const readHash = (stored: string): StoredHash => {
  const [, n = "", r = "", p = "", salt = "", key = ""] = stored.split("$")
  const [saltBytes, known] = [Buffer.from(salt, "base64url"), Buffer.from(key, "base64url")]
  return { n: Number(n), r: Number(r), p: Number(p), salt: saltBytes, key: known }
}

const memory = ({ n, r }: Parameters): number => n * r
const work = (parameters: Parameters): number => memory(parameters) * parameters.p

export const makePasswords = (
  cost: number,
  refusals: RefusalsShape,
  hasher: Hasher,
  rest: Rest = realRest,
): PasswordsShape => {
  const present: Parameters = { n: cost, r: blockSize, p: parallel }
  /** A hash of no password, checked for unknown accounts so that they take as long to refuse as known ones. */
  const nobody = ["scrypt", cost, blockSize, parallel, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$")
  const places = Semaphore.makeUnsafe(atOnce)
  let underWay = 0

  /**
   * While others wait, a hash is followed by a rest as long as itself: a flood of guesses takes half a processor, which
   * somebody who signs in then waits for a little longer, and nobody else.
   */
  const endTurn = (began: number): void => {
    underWay--
    rest(underWay > 0 ? performance.now() - began : 0, () => void Effect.runFork(places.release(1)))
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

  const derive = (password: string, salt: Buffer, { n, r, p }: Parameters): Effect.Effect<Uint8Array> =>
    hasher.derive({ password: password.normalize("NFKC"), salt, keyBytes, n, r, p })

  /** What a check of `stored` takes less than one of a new hash: who has an old one must not be known by the time. */
  const fillUp = (stored: StoredHash): Effect.Effect<void> => {
    const p = Math.floor((work(present) - work(stored)) / memory(present))
    return p < 1 ? Effect.void : Effect.asVoid(derive("", stored.salt, { ...present, p }))
  }

  const matches: PasswordsShape["matches"] = (password, stored) => {
    if (password.length > longestPassword) return matches("", null)
    const known = readHash(stored ?? nobody)
    const check = Effect.map(
      derive(password, known.salt, known),
      (derived) => derived.length === known.key.length && timingSafeEqual(derived, known.key) && stored !== null,
    )
    return inTurn(Effect.tap(check, (isRight) => (isRight ? Effect.void : fillUp(known))))
  }

  return {
    hash: (password) => {
      const salt = randomBytes(16)
      return Effect.map(inTurn(derive(password, salt, present)), (key) =>
        ["scrypt", cost, blockSize, parallel, salt.toString("base64url"), Buffer.from(key).toString("base64url")].join(
          "$",
        ),
      )
    },
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
      return makePasswords(passwordCost ?? usualCost, yield* Refusals, hasher)
    }),
  )
}
