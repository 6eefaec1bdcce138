/**
 * API keys: how they are derived and checked. A key is derived from the server's secret, the user and the key's
 * version, so nothing secret is stored, and fetching a key twice gives the same one. src/http calls this for each
 * request; fetch-key.ts hands the keys out.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type ApiError, type Checked, realmUnknown, type Unavailable, unauthorized } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * A cache of derived keys: one derivation costs 5 µs. A new version of the key makes a new record, so no entry is
 * stale.
 */
const derived = new WeakMap<UserRecord, string>()

/** A user's API key: 32 letters and digits. */
export const apiKey = (secret: string, realm: RealmId, user: UserRecord): string => {
  const known = derived.get(user)
  if (known !== undefined) return known
  const digest = createHmac("sha256", secret).update(`api-key:${realm}:${user.id}:${user.key_version}`).digest()
  const key = Array.from(digest, (byte) => alphabet[byte % alphabet.length]).join("")
  derived.set(user, key)
  return key
}

export const sameKey = (given: string, known: string): boolean =>
  timingSafeEqual(Buffer.from(given), Buffer.from(known))

export interface SignedInAccount {
  readonly realm: RealmId
  readonly user: UserId
  readonly keyVersion: number
  /** Bots of this kind may use only the endpoints that allow it. */
  readonly isWebhookBot: boolean
}

const webhookBotType = 2

export const accountOf = (realm: RealmId, { id, key_version, bot_type }: UserRecord): SignedInAccount => ({
  realm,
  user: id,
  keyVersion: key_version,
  isWebhookBot: bot_type === webhookBotType,
})

/** The credentials of Basic authentication; the key has the right form, but may be wrong. */
export interface ApiCredentials {
  readonly email: string
  readonly key: string
}

const check = (realm: Realm, id: RealmId, secret: string, email: string, key: string): Checked<UserRecord> => {
  if (realm.isDeactivated) return Result.fail(unauthorized("This organization has been deactivated"))
  const user = realm.findUserByEmail(email.trim())
  if (user === undefined || !sameKey(key, apiKey(secret, id, user))) return Result.fail(unauthorized("Invalid API key"))
  return realm.isActive(user.id) ? Result.succeed(user) : Result.fail(unauthorized("Account is deactivated"))
}

/** The cache of known senders is emptied when it holds more than this; longer headers are not kept. */
const mostSenders = 50_000
const longestHeader = 512

/**
 * Finds the account of an Authorization header, with a cache, so that a known header is neither decoded nor compared
 * again. An entry is valid as long as the record of the user is the same object: a new key, role or address makes a new
 * record, so entries need no other invalidation. Undefined if the realm is not running.
 */
export const knownSenders = (
  realms: Realms["Service"],
  secret: string,
  read: (header: string) => Checked<ApiCredentials>,
) => {
  const known = new Map<
    string,
    { readonly realm: Realm; readonly user: UserRecord; readonly found: Result.Result<SignedInAccount, never> }
  >()
  return (host: string, header: string): Checked<SignedInAccount> | undefined => {
    const at = realms.atWork(host)
    if (at === undefined) return undefined
    const { realm } = at.runtime
    const sender = known.get(header)
    if (
      sender !== undefined &&
      sender.realm === realm &&
      !realm.isDeactivated &&
      realm.users.get(sender.user.id) === sender.user &&
      realm.isActive(sender.user.id)
    )
      return sender.found
    return Result.flatMap(read(header), ({ email, key }) =>
      Result.map(check(realm, at.id, secret, email, key), (user) => {
        const account = accountOf(at.id, user)
        if (known.size >= mostSenders) known.clear()
        if (header.length <= longestHeader) known.set(header, { realm, user, found: Result.succeed(account) })
        return account
      }),
    )
  }
}

/** Checks credentials whose form is right; every failure is 401. */
export const authenticate = Effect.fnUntraced(function* (
  host: string,
  email: string,
  key: string,
): Effect.fn.Return<SignedInAccount, ApiError | Unavailable, Realms | Config> {
  const realms = yield* Realms
  const { secret } = yield* Config
  const id = yield* realms.find(host)
  if (id === null) return yield* realmUnknown()
  const { realm } = yield* realms.get(id)
  const user = yield* Effect.fromResult(check(realm, id, secret, email, key))
  return accountOf(id, user)
})
