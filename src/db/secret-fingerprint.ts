/**
 * Detects that a database is served with another secret than before. The database stores a salted scrypt hash: guesses
 * of a weak secret are as slow to test with it as guesses of a password.
 * Called by main.ts and by src/command-line.
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Unavailable } from "../api/errors.ts"
import type { DatabaseShape } from "./database.ts"

/** 16 MiB and about 40 ms, in a thread of its own. */
const cost = { N: 2 ** 14, r: 8, p: 1 }
const hashBytes = 32
const saltBytes = 16

const hashSecret = (secret: string, salt: Buffer): Effect.Effect<Buffer> =>
  Effect.callback<Buffer>((resume) => {
    scrypt(secret, salt, hashBytes, cost, (error, hash) =>
      resume(error === null ? Effect.succeed(hash) : Effect.die(error)),
    )
  })

/** Whether the database was served with this secret: `"none"` where it was not served yet. null: no secret at all. */
export const compareFingerprint = Effect.fnUntraced(function* (
  database: DatabaseShape,
  secret: string | null,
): Effect.fn.Return<"same" | "other" | "none", Unavailable> {
  const [state] = yield* database.query("select secret_fingerprint from server_state")
  const stored = state?.["secret_fingerprint"]
  return yield* compareSecret(typeof stored === "string" ? stored : null, secret)
})

/** The same for a fingerprint; null: of a database that was not served. */
export const compareSecret = Effect.fnUntraced(function* (stored: string | null, secret: string | null) {
  if (stored === null) return "none"
  if (secret === null) return "other"
  const [salt = "", known = ""] = stored.split(".")
  const hash = yield* hashSecret(secret, Buffer.from(salt, "base64url"))
  const expected = Buffer.from(known, "base64url")
  return expected.length === hash.length && timingSafeEqual(expected, hash) ? "same" : "other"
})

/** Stores the fingerprint of `secret`; true where the one that was stored belongs to another secret. */
export const replaceFingerprint = Effect.fnUntraced(function* (
  database: DatabaseShape,
  secret: string,
): Effect.fn.Return<boolean, Unavailable> {
  const found = yield* compareFingerprint(database, secret)
  if (found === "same") return false
  const salt = randomBytes(saltBytes)
  const hash = yield* hashSecret(secret, salt)
  yield* database.query("update server_state set secret_fingerprint = $1", [
    `${salt.toString("base64url")}.${hash.toString("base64url")}`,
  ])
  return found === "other"
})

/**
 * The fingerprint that is stored, where it is this secret's; where there is none it is stored now, and so it is where another
 * one is and nobody else serves the database. null: others serve it with another secret.
 */
export const claimFingerprint = Effect.fnUntraced(function* (
  database: DatabaseShape,
  secret: string,
  hasOthers: boolean,
): Effect.fn.Return<string | null, Unavailable> {
  const found = yield* compareFingerprint(database, secret)
  if (found === "other" && hasOthers) return null
  if (found !== "same") yield* replaceFingerprint(database, secret)
  const [state] = yield* database.query("select secret_fingerprint from server_state")
  return String(state?.["secret_fingerprint"])
})
