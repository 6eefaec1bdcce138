/**
 * Password hashes by scrypt of node:crypto, which needs much memory by design and runs off the main thread: 32 MiB and
 * about 80 ms each, so at most two at a time. The parameters are part of each hash, so that they can be raised later;
 * tests choose cheap ones by the configuration.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Config } from "../../config.ts"
import { Unavailable } from "../../errors.ts"

/** N of scrypt. */
const usualCost = 2 ** 15
const blockSize = 8
const parallel = 1
const keyBytes = 32
/** Hashes computed at the same time. */
const atOnce = 2
/** The most passwords being hashed or waiting: some seconds of work. Further requests are answered 503. */
const mostWaiting = 128

/** In UTF-16 units; checked before normalisation, whose time grows with the square of a hostile text. */
export const longestPassword = 100

interface PasswordsShape {
  /** Answers `scrypt$N$r$p$salt$key`, salt and key in base64url. */
  readonly hash: (password: string) => Effect.Effect<string, Unavailable>
  /** `stored`: null for an account that does not exist or has no password; takes as long, and is false. */
  readonly matches: (password: string, stored: string | null) => Effect.Effect<boolean, Unavailable>
}

const derive = (password: string, salt: Buffer, n: number, r: number, p: number): Effect.Effect<Buffer> =>
  Effect.callback<Buffer>((resume) => {
    scrypt(password.normalize("NFKC"), salt, keyBytes, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error)),
    )
  })

const makePasswords = (cost: number): PasswordsShape => {
  /** A hash of no password, checked for unknown accounts so that they take as long to refuse as known ones. */
  const nobody = ["scrypt", cost, blockSize, parallel, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$")
  const places = Semaphore.makeUnsafe(atOnce)
  let waiting = 0

  const inTurn = <A>(work: Effect.Effect<A>): Effect.Effect<A, Unavailable> =>
    Effect.suspend(() => {
      if (waiting >= mostWaiting) return Effect.fail(new Unavailable({ reason: "too many passwords at once" }))
      waiting++
      return Effect.ensuring(
        places.withPermits(1)(work),
        Effect.sync(() => {
          waiting--
        }),
      )
    })

  const matches: PasswordsShape["matches"] = (password, stored) => {
    if (password.length > longestPassword) return matches("", null)
    const [, n = "", r = "", p = "", salt = "", key = ""] = (stored ?? nobody).split("$")
    const work = derive(password, Buffer.from(salt, "base64url"), Number(n), Number(r), Number(p))
    return Effect.map(inTurn(work), (derived) => {
      const known = Buffer.from(key, "base64url")
      return derived.length === known.length && timingSafeEqual(derived, known) && stored !== null
    })
  }

  return {
    hash: (password) => {
      const salt = randomBytes(16)
      return Effect.map(inTurn(derive(password, salt, cost, blockSize, parallel)), (key) =>
        ["scrypt", cost, blockSize, parallel, salt.toString("base64url"), key.toString("base64url")].join("$"),
      )
    },
    matches,
  }
}

export class Passwords extends Context.Service<Passwords, PasswordsShape>()("parley/chat/Passwords") {
  static readonly layer = Layer.effect(
    Passwords,
    Effect.map(Config, ({ passwordCost }) => makePasswords(passwordCost ?? usualCost)),
  )
}
