/**
 * Finds the bot of a key that comes alone, without an address: that is how other services sign what they tell (web hooks).
 * Only bots are found so: an address is written into logs and shown in settings, and no person's key belongs there.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import {
  type ApiError,
  type Checked,
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
import { accountOf, apiKey, type SignedInAccount, sameKey } from "./sign-in.ts"

/**
 * The bots of an organization by the digests of their keys: a look-up by the key itself would take longer the more of it is
 * right. A key is derived from the record of its bot and stands nowhere, so the index is made, and follows changes, by looking at
 * the bots whose records have changed (`changedBots`): after that a key that is nobody's is told by one look.
 */
interface BotKeyIndex {
  readonly owners: Map<string, UserId>
  /** What stands in it for each bot: forgotten once the bot has another key. */
  readonly digests: Map<UserId, string>
}
const indexes = new WeakMap<Realm, BotKeyIndex>()

const indexOf = (realm: Realm): BotKeyIndex => {
  const index: BotKeyIndex = indexes.get(realm) ?? { owners: new Map(), digests: new Map() }
  indexes.set(realm, index)
  return index
}

const digestOf = (key: string): string => createHash("sha256").update(key).digest("base64")

/** Between two looks at the clock: deriving a key takes 5 µs. */
const botsPerLook = 64

/** Follows one change of a bot. */
const reindexBot = (realm: Realm, id: RealmId, secret: string, bot: UserId): void => {
  const { owners, digests } = indexOf(realm)
  realm.changedBots.delete(bot)
  const user = realm.users.get(bot)
  if (user === undefined) return
  const before = digests.get(bot)
  const digest = digestOf(apiKey(secret, id, user))
  if (before === digest) return
  if (before !== undefined) owners.delete(before)
  digests.set(bot, digest)
  owners.set(digest, bot)
}

const findKeyOwner = (realm: Realm, id: RealmId, secret: string, key: string): UserRecord | undefined => {
  const owner = indexOf(realm).owners.get(digestOf(key))
  const user = owner === undefined ? undefined : realm.users.get(owner)
  // An entry of a key that has been replaced finds its bot, whose key it is not any more.
  return user !== undefined && sameKey(key, apiKey(secret, id, user)) ? user : undefined
}

const keyText = /^[A-Za-z0-9]{32}$/

/** What is wrong with the text of a key, whoever's it may be: told before an organization is looked for. */
const formFault = (key: string): ApiError | undefined => {
  if (key === "") return invalidApiKey("Missing API key: the address needs it as api_key")
  return keyText.test(key) ? undefined : invalidApiKey("Malformed API key")
}

/** `user`: whose key it is. */
const checkBotAccount = (realm: Realm, id: RealmId, user: UserRecord | undefined): Checked<SignedInAccount> => {
  if (realm.isDeactivated) return Result.fail(realmDeactivated())
  if (user === undefined || (user.bot_type !== botTypes.generic && user.bot_type !== botTypes.incomingWebhook))
    return Result.fail(invalidApiKey("Invalid API key"))
  return realm.isActive(user.id)
    ? Result.succeed(accountOf(id, user))
    : Result.fail(signInFailed("USER_DEACTIVATED", "Account is deactivated"))
}

/**
 * `authenticateBot` for callers that cannot wait; undefined where they must ask that one: the organization is not loaded, or
 * bots have changed.
 */
export const tryAuthenticateBotNow =
  (realms: Realms["Service"], secret: string) =>
  (host: string, key: string): Checked<SignedInAccount> | undefined => {
    const fault = formFault(key)
    if (fault !== undefined) return Result.fail(fault)
    const at = realms.atWork(host)
    if (at === undefined) return undefined
    const { realm } = at.runtime
    const user = realm.isDeactivated ? undefined : findKeyOwner(realm, at.id, secret, key)
    const isSettled = user !== undefined || realm.isDeactivated || realm.changedBots.size === 0
    return isSettled ? checkBotAccount(realm, at.id, user) : undefined
  }

/** The account of a bot's key; every failure is 401, but for an address that is no organization's. */
export const authenticateBot = Effect.fnUntraced(function* (
  host: string,
  key: string,
): Effect.fn.Return<SignedInAccount, ApiError | Unavailable, Realms | Config> {
  const fault = formFault(key)
  if (fault !== undefined) return yield* fault
  const realms = yield* Realms
  const { secret } = yield* Config
  const id = yield* realms.find(host)
  if (id === null) return yield* realmUnknown()
  const { realm } = yield* realms.get(id)
  const known = realm.isDeactivated ? undefined : findKeyOwner(realm, id, secret, key)
  if (known === undefined && !realm.isDeactivated)
    yield* forEachInSlices(realm.changedBots, (bot) => reindexBot(realm, id, secret, bot), botsPerLook)
  return yield* Effect.fromResult(checkBotAccount(realm, id, known ?? findKeyOwner(realm, id, secret, key)))
})
