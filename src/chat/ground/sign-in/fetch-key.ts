/**
 * The endpoints that hand out API keys (contract 2.9, 3.11). A refusal that concerns the whole organization is answered
 * at once. Nothing about an account is answered before the password has been checked, and the check takes the same time
 * whether or not the account exists.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { data, openEndpoint, type Visitor } from "../../../api/endpoint.ts"
import {
  badRequest,
  type Checked,
  passwordAuthDisabled,
  passwordResetRequired,
  realmDeactivated,
  realmUnknown,
  signInFailed,
} from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { findPasswordHash, renewPasswordHash } from "../realm/realm-store.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { Address, ApiKey, Id } from "../wire/wire-values.ts"
import { Passwords } from "./passwords.ts"
import { apiKey } from "./sign-in.ts"
import { SignInThrottle } from "./sign-in-throttle.ts"

interface SignInRealm {
  readonly id: RealmId
  readonly realm: Realm
}

/**
 * Refuses if the organization allows no passwords. Called before a password is checked and, as that takes time, after.
 */
const requirePasswords = ({ isDeactivated, settings }: Realm): Checked<void> => {
  if (isDeactivated) return Result.fail(realmDeactivated())
  return settings.password_auth_enabled ? Result.void : Result.fail(passwordAuthDisabled())
}

const requireRealm = Effect.fnUntraced(function* (visitor: Visitor) {
  const realms = yield* Realms
  if (visitor.realm === null) return yield* realmUnknown()
  const { realm } = yield* realms.get(visitor.realm)
  if (realm.isDeactivated) return yield* realmDeactivated()
  return { id: visitor.realm, realm } satisfies SignInRealm
})

/** The answer with the API key of a user whose identity has been checked. */
const handOut = Effect.fnUntraced(function* ({ id, realm }: SignInRealm, user: UserRecord) {
  const { secret } = yield* Config
  if (!realm.isActive(user.id)) return yield* signInFailed("USER_DEACTIVATED", "Account is deactivated")
  return data({ api_key: apiKey(secret, id, user), email: user.email, user_id: user.id })
})

/**
 * Whether the password is the user's. Undefined: no such account, which takes as long and is false. A right password is
 * the only occasion to renew a hash that is weaker than those made today; a renewal that fails is left for the next.
 */
const checkPassword = Effect.fnUntraced(function* (realm: RealmId, user: UserRecord | undefined, password: string) {
  const database = yield* Database
  const stored = yield* findPasswordHash(database, realm, user?.id)
  const passwords = yield* Passwords
  const isRight = yield* passwords.matches(password, stored)
  if (isRight && user !== undefined && stored !== null && passwords.isWeak(stored))
    yield* Effect.ignore(
      Effect.flatMap(passwords.hash(password), (renewed) =>
        renewPasswordHash(database, realm, user.id, stored, renewed),
      ),
    )
  return isRight
})

/** `email`: the real address, with which the client signs its requests. */
const HandedOut = Schema.Struct({ api_key: ApiKey, email: Address, user_id: Id })

export const fetchApiKey = openEndpoint({
  method: "POST",
  path: "/fetch_api_key",
  limit: "signIn",
  summary: "Exchanges an email address and a password for the account's API key.",
  params: { username: text("username"), password: text("password") },
  reply: HandedOut,
  errors: [
    "AUTHENTICATION_FAILED",
    "USER_DEACTIVATED",
    "REALM_DEACTIVATED",
    "PASSWORD_AUTH_DISABLED",
    "PASSWORD_RESET_REQUIRED",
    "NONEXISTENT_SUBDOMAIN",
  ],
  run: Effect.fnUntraced(function* (visitor, { username, password }) {
    const throttle = yield* SignInThrottle
    const place = yield* requireRealm(visitor)
    yield* Effect.fromResult(requirePasswords(place.realm))
    const name = username.trim()
    if (place.realm.settings.require_email_format_usernames && !name.includes("@"))
      return yield* badRequest("Enter a valid email address.")
    const guess = yield* Effect.fromResult(throttle.begin(place.id, name, visitor.address))
    const user = place.realm.findUserByEmail(name)
    const isRight = yield* Effect.onExit(checkPassword(place.id, user, password), (exit) =>
      Effect.sync(() => guess.end(Exit.isSuccess(exit) && !exit.value)),
    )
    if (user === undefined || !isRight)
      return yield* signInFailed("AUTHENTICATION_FAILED", "Your username or password is incorrect")
    yield* Effect.fromResult(requirePasswords(place.realm))
    const account = place.realm.users.get(user.id) ?? user
    if (account.must_reset_password) return yield* passwordResetRequired()
    return yield* handOut(place, account)
  }),
})

export const devFetchApiKey = openEndpoint({
  method: "POST",
  path: "/dev_fetch_api_key",
  limit: "signIn",
  summary: "In development mode only: an account's API key without its password.",
  params: { username: text("username") },
  reply: HandedOut,
  errors: ["AUTHENTICATION_FAILED", "USER_DEACTIVATED", "REALM_DEACTIVATED", "NONEXISTENT_SUBDOMAIN"],
  run: Effect.fnUntraced(function* (visitor, { username }) {
    const { mode } = yield* Config
    if (mode !== "development") return yield* badRequest("Endpoint not available in production.")
    const place = yield* requireRealm(visitor)
    const user = place.realm.findUserByEmail(username.trim())
    if (user === undefined) return yield* signInFailed("AUTHENTICATION_FAILED", "There is no such account")
    return yield* handOut(place, user)
  }),
})
