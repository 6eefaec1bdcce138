/**
 * Password hashes by scrypt of node:crypto: memory-hard, maintained with the platform, off the main thread. 32 MiB and
 * about 80 ms each, so no more than two at a time. The parameters stand in the hash, so they can grow.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { Unavailable } from "../../errors.ts"

const cost = 2 ** 15
const blockSize = 8
const parallel = 1
const keyBytes = 32
const atOnce = Semaphore.makeUnsafe(2)
/** A dozen seconds of work. Whoever comes later is told to come back, so that nothing piles up. */
const mostWaiting = 128
let waiting = 0

/** Unicode normalisation takes time that grows with the square of what a hostile text holds: bounded before it. */
export const longestPassword = 100

const derive = (password: string, salt: Buffer, n: number, r: number, p: number): Effect.Effect<Buffer, Unavailable> =>
  Effect.suspend(() => {
    if (waiting >= mostWaiting) return Effect.fail(new Unavailable({ reason: "too many passwords at once" }))
    waiting++
    return Effect.ensuring(
      hash(password, salt, n, r, p),
      Effect.sync(() => {
        waiting--
      }),
    )
  })

const hash = (password: string, salt: Buffer, n: number, r: number, p: number): Effect.Effect<Buffer> =>
  atOnce.withPermits(1)(
    Effect.callback<Buffer>((resume) => {
      scrypt(password.normalize("NFKC"), salt, keyBytes, { N: n, r, p, maxmem: 256 * n * r }, (error, key) =>
        resume(error === null ? Effect.succeed(key) : Effect.die(error)),
      )
    }),
  )

/** `scrypt$N$r$p$salt$key`, salt and key in base64url. */
export const hashPassword = (password: string): Effect.Effect<string, Unavailable> => {
  const salt = randomBytes(16)
  return Effect.map(derive(password, salt, cost, blockSize, parallel), (key) =>
    ["scrypt", cost, blockSize, parallel, salt.toString("base64url"), key.toString("base64url")].join("$"),
  )
}

/** A stand-in of the right form, so that an unknown account takes as long to refuse as a known one. */
const nobody = ["scrypt", cost, blockSize, parallel, "AAAAAAAAAAAAAAAAAAAAAA", "A".repeat(43)].join("$")

/** `stored` is null where there is no such account or it has no password: takes as long, and is never right. */
export const passwordMatches = (password: string, stored: string | null): Effect.Effect<boolean, Unavailable> => {
  if (password.length > longestPassword) return passwordMatches("", null)
  const [, n = "", r = "", p = "", salt = "", key = ""] = (stored ?? nobody).split("$")
  return Effect.map(derive(password, Buffer.from(salt, "base64url"), Number(n), Number(r), Number(p)), (derived) => {
    const known = Buffer.from(key, "base64url")
    return derived.length === known.length && timingSafeEqual(derived, known) && stored !== null
  })
}
