/**
 * Who a request comes from: API keys, how they are derived and checked. Keys are derived from the server's secret, the
 * user and the key's version, so nothing secret is stored and fetching twice gives the same key. Asked by src/http for
 * each request; the keys are handed out in fetch-key.ts.
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Config } from "../../config.ts"
import { type ApiError, realmUnknown, type Unavailable, unauthorized } from "../../errors.ts"
import type { RealmId, UserId } from "../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** One derivation costs 5 µs; a user's record lives as long as its key is good. */
const derived = new WeakMap<UserRecord, string>()

/** 32 letters and digits. */
export const apiKey = (secret: string, realm: RealmId, user: UserRecord): string => {
  const known = derived.get(user)
  if (known !== undefined) return known
  const digest = createHmac("sha256", secret).update(`api-key:${realm}:${user.id}:${user.key_version}`).digest()
  const key = Array.from(digest, (byte) => alphabet[byte % alphabet.length]).join("")
  derived.set(user, key)
  return key
}

const sameKey = (given: string, known: string): boolean => timingSafeEqual(Buffer.from(given), Buffer.from(known))

export interface Account {
  readonly realm: RealmId
  readonly user: UserId
  readonly keyVersion: number
  /** Bots of this kind may use those endpoints only that say so (contract 1.4). */
  readonly isWebhookBot: boolean
}

const webhookBotType = 2

const accountOf = (realm: RealmId, { id, key_version, bot_type }: UserRecord): Account => ({
  realm,
  user: id,
  keyVersion: key_version,
  isWebhookBot: bot_type === webhookBotType,
})

/** What Basic authentication carries; the key has the form of one. */
export interface Credentials {
  readonly email: string
  readonly key: string
}

const check = (
  realm: Realm,
  id: RealmId,
  secret: string,
  email: string,
  key: string,
): Result.Result<UserRecord, ApiError> => {
  if (realm.isDeactivated) return Result.fail(unauthorized("This organization has been deactivated"))
  const user = realm.findUserByEmail(email.trim())
  if (user === undefined || !sameKey(key, apiKey(secret, id, user))) return Result.fail(unauthorized("Invalid API key"))
  return realm.isActive(user.id) ? Result.succeed(user) : Result.fail(unauthorized("Account is deactivated"))
}

/** More senders than this are forgotten all at once; a long header is not worth keeping. */
const mostSenders = 50_000
const longestHeader = 512

/**
 * Finds the account of an Authorization header; one that has been seen before is neither decoded nor compared again.
 * What is known of a sender holds only as long as their record is the very same object: a new key, role or address
 * makes a new one, so nothing has to be told to forget. Undefined where the realm is not at work.
 */
export const knownSenders = (
  realms: Realms["Service"],
  secret: string,
  read: (header: string) => Result.Result<Credentials, ApiError>,
) => {
  const known = new Map<string, { readonly realm: Realm; readonly user: UserRecord; readonly account: Account }>()
  return (host: string, header: string): Result.Result<Account, ApiError> | undefined => {
    const at = realms.atWork(host)
    if (at === undefined) return undefined
    const { realm } = at.runtime
    const sender = known.get(header)
    if (
      sender !== undefined &&
      sender.realm === realm &&
      !realm.isDeactivated &&
      realm.users.get(sender.account.user) === sender.user &&
      realm.isActive(sender.account.user)
    )
      return Result.succeed(sender.account)
    return Result.flatMap(read(header), ({ email, key }) =>
      Result.map(check(realm, at.id, secret, email, key), (user) => {
        const account = accountOf(at.id, user)
        if (known.size >= mostSenders) known.clear()
        if (header.length <= longestHeader) known.set(header, { realm, user, account })
        return account
      }),
    )
  }
}

/** Checks credentials whose form has been judged; every failure is 401 (contract 1.4). */
export const authenticate = Effect.fnUntraced(function* (
  host: string,
  email: string,
  key: string,
): Effect.fn.Return<Account, ApiError | Unavailable, Realms | Config> {
  const realms = yield* Realms
  const { secret } = yield* Config
  const id = yield* realms.find(host)
  if (id === null) return yield* realmUnknown()
  const { realm } = yield* realms.get(id)
  const user = yield* Effect.fromResult(check(realm, id, secret, email, key))
  return accountOf(id, user)
})
