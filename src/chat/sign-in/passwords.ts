/**
 * Password hashes by scrypt of node:crypto: memory-hard, maintained with the platform, off the main thread. 32 MiB and
 * about 80 ms each, so no more than two at a time. The parameters stand in the hash, so they can grow.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Unavailable } from "../../errors.ts"

const cost = 2 ** 15
const blockSize = 8
const parallel = 1
const keyBytes = 32
/** So many are hashed at the same time. */
const atOnce = 2
/** A dozen seconds of work. Whoever comes later is told to come back, so that nothing piles up. */
const mostWaiting = 128

/** Unicode normalisation takes time that grows with the square of what a hostile text holds: bounded before it. */
export const longestPassword = 100

interface PasswordsShape {
  /** `scrypt$N$r$p$salt$key`, salt and key in base64url. */
  readonly hash: (password: string) => Effect.Effect<string, Unavailable>
  /** `stored` is null where there is no such account or it has no password: takes as long, and is never right. */
  readonly matches: (password: string, stored: string | null) => Effect.Effect<boolean, Unavailable>
}

const derive = (password: string, salt: Buffer, n: number, r: number, p: number): Effect.Effect<Buffer> =>
  Effect.callback<Buffer>((resume) => {
    scrypt(password.normalize("NFKC"), salt, keyBytes, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error)),
    )
  })

/** A stand-in of the right form, so that an unknown account takes as long to refuse as a known one. */
const nobody = ["scrypt", cost, blockSize, parallel, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$")

const makePasswords = (): PasswordsShape => {
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
  static readonly layer = Layer.sync(Passwords, makePasswords)
}
