/**
 * How a password is hashed: by scrypt of node:crypto, which needs much memory and time by design, 32 MiB and about 240 ms.
 * The parameters are part of each hash. Used by passwords.ts, and by the start for the demo organization.
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Hasher } from "./hasher.ts"

/**
 * N of scrypt. With p = 3 one of the choices that OWASP's Password Storage Cheat Sheet holds equivalent; N = 2^17 with
 * p = 1 would take 128 MiB for each hash.
 */
const usualCost = 2 ** 15
const blockSize = 8
const parallel = 3
const keyBytes = 32

export interface HashParameters {
  readonly n: number
  readonly r: number
  readonly p: number
}

/** `cost`: N; tests choose a cheap one. */
export const parametersOf = (cost = usualCost): HashParameters => ({ n: cost, r: blockSize, p: parallel })

export const derive = (
  hasher: Hasher,
  password: string,
  salt: Buffer,
  { n, r, p }: HashParameters,
): Effect.Effect<Uint8Array> => hasher.derive({ password: password.normalize("NFKC"), salt, keyBytes, n, r, p })

/** `scrypt$N$r$p$salt$key`, salt and key in base64url. */
export const newHash = (hasher: Hasher, password: string, parameters = parametersOf()): Effect.Effect<string> =>
  Effect.suspend(() => {
    const salt = randomBytes(16)
    const { n, r, p } = parameters
    return Effect.map(derive(hasher, password, salt, parameters), (key) =>
      ["scrypt", n, r, p, salt.toString("base64url"), Buffer.from(key).toString("base64url")].join("$"),
    )
  })
