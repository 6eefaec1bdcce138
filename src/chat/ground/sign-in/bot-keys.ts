/**
 * Finds the bot of a key that comes alone, without an address: that is how other services sign what they tell (web hooks).
 * Only bots are found so: an address is written into logs and shown in settings, and no person's key belongs there.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import {
  type ApiError,
  invalidApiKey,
  realmDeactivated,
  realmUnknown,
  signInFailed,
  type Unavailable,
} from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { forEachInSlices } from "../../../slices.ts"
import { botTypes } from "../bot-settings/bot-settings.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { type Account, accountOf, apiKey, sameKey } from "./sign-in.ts"

/** Keys are derived from records, so they are looked up by what has been derived before. */
interface Index {
  /** By the digest of the key: a look-up by the key itself would take longer the more of it is right. */
  readonly owners: Map<string, UserId>
  /** Of each bot the record and the digest that were looked at last: a digest is forgotten once its key is replaced. */
  readonly seen: Map<UserId, { readonly user: UserRecord; readonly digest: string }>
}
const indexes = new WeakMap<Realm, Index>()

const indexOf = (realm: Realm): Index => {
  const index: Index = indexes.get(realm) ?? { owners: new Map(), seen: new Map() }
  indexes.set(realm, index)
  return index
}

const digestOf = (key: string): string => createHash("sha256").update(key).digest("base64")

/** Between two looks at the clock: deriving a key takes 5 µs. */
const botsPerLook = 64

const findBot = Effect.fnUntraced(function* (realm: Realm, id: RealmId, secret: string, key: string) {
  const { owners, seen } = indexOf(realm)
  const digest = digestOf(key)
  const find = (): UserRecord | undefined => {
    const owner = owners.get(digest)
    const user = owner === undefined ? undefined : realm.users.get(owner)
    // An entry of a key that has been replaced finds its bot, whose key it is not any more.
    return user !== undefined && sameKey(key, apiKey(secret, id, user)) ? user : undefined
  }
  const known = find()
  if (known !== undefined) return known
  const note = (bot: UserId): void => {
    const user = realm.users.get(bot)
    const before = seen.get(bot)
    if (user === undefined || before?.user === user) return
    const own = digestOf(apiKey(secret, id, user))
    if (before !== undefined) owners.delete(before.digest)
    seen.set(bot, { user, digest: own })
    owners.set(own, bot)
  }
  yield* forEachInSlices(realm.bots, note, botsPerLook)
  return find()
})

const keyText = /^[A-Za-z0-9]{32}$/

/** The account of a bot's key; every failure is 401, but for an address that is no organization's. */
export const authenticateBot = Effect.fnUntraced(function* (
  host: string,
  key: string,
): Effect.fn.Return<Account, ApiError | Unavailable, Realms | Config> {
  const realms = yield* Realms
  const { secret } = yield* Config
  const id = yield* realms.find(host)
  if (id === null) return yield* realmUnknown()
  const { realm } = yield* realms.get(id)
  if (realm.isDeactivated) return yield* realmDeactivated()
  if (key === "") return yield* invalidApiKey("Missing API key: the address needs it as api_key")
  if (!keyText.test(key)) return yield* invalidApiKey("Malformed API key")
  const user = yield* findBot(realm, id, secret, key)
  if (user === undefined || (user.bot_type !== botTypes.generic && user.bot_type !== botTypes.incomingWebhook))
    return yield* invalidApiKey("Invalid API key")
  if (!realm.isActive(user.id)) return yield* signInFailed("USER_DEACTIVATED", "Account is deactivated")
  return accountOf(id, user)
})
