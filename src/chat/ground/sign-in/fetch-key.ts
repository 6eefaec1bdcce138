/**
 * The endpoints that hand out API keys. A refusal that concerns the whole organization is answered at once. Nothing
 * about an account is answered before the password has been checked, and the check takes the same time whether or not
 * the account exists.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, openEndpoint, type Visitor } from "../../../api/endpoint.ts"
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
import { Config, type ConfigShape } from "../../../config/config.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { Address, ApiKey, Id } from "../wire/wire-values.ts"
import { type IdentifiedAccount, identify, type SignInRealm } from "./identify.ts"
import { mayAskDirectory, mayUsePasswords, mustBeAddress } from "./password-sign-in.ts"
import { apiKey } from "./sign-in.ts"
import { SignInThrottle } from "./sign-in-throttle.ts"

/**
 * Refuses if the organization allows no passwords, neither those kept here nor the directory's. Called before a password
 * is checked and, as that takes time, after.
 */
const requirePasswords = ({ isDeactivated, settings }: Realm, config: ConfigShape): Checked<void> => {
  if (isDeactivated) return Result.fail(realmDeactivated())
  return mayUsePasswords(settings, config) ? Result.void : Result.fail(passwordAuthDisabled())
}

/** Whether the way by which somebody was identified is still on. */
const isStillOn = ({ settings }: Realm, by: IdentifiedAccount["by"], config: ConfigShape): boolean =>
  by === "directory" ? mayAskDirectory(settings, config) : settings.password_auth_enabled

const notKnown = () => signInFailed("AUTHENTICATION_FAILED", "Your username or password is incorrect")

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
  return dataReply({ api_key: apiKey(secret, id, user), email: user.email, user_id: user.id })
})

/** `email`: the real address, with which the client signs its requests. */
const HandedOut = Schema.Struct({ api_key: ApiKey, email: Address, user_id: Id })

export const fetchApiKey = openEndpoint({
  method: "POST",
  path: "/fetch_api_key",
  fresh: "before",
  limit: "signIn",
  summary: "Exchanges a name, mostly an email address, and a password for the account's API key.",
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
  run: Effect.fnUntraced(function* (visitor, { params: { username, password } }) {
    const throttle = yield* SignInThrottle
    const config = yield* Config
    const place = yield* requireRealm(visitor)
    yield* Effect.fromResult(requirePasswords(place.realm, config))
    const name = username.trim()
    if (mustBeAddress(place.realm.settings, config) && !name.includes("@"))
      return yield* badRequest("Enter a valid email address.")
    const guess = yield* Effect.fromResult(throttle.begin(place.id, name, visitor.address))
    const found = yield* identify(place, { name, password, address: visitor.address }, guess)
    if (found === undefined) return yield* notKnown()
    yield* Effect.fromResult(requirePasswords(place.realm, config))
    if (!isStillOn(place.realm, found.by, config)) return yield* notKnown()
    const account = place.realm.users.get(found.user.id) ?? found.user
    if (found.by === "password" && account.must_reset_password) return yield* passwordResetRequired()
    return yield* handOut(place, account)
  }),
})

export const devFetchApiKey = openEndpoint({
  method: "POST",
  path: "/dev_fetch_api_key",
  fresh: "before",
  limit: "signIn",
  summary: "In development mode only: an account's API key without its password.",
  params: { username: text("username") },
  reply: HandedOut,
  errors: ["AUTHENTICATION_FAILED", "USER_DEACTIVATED", "REALM_DEACTIVATED", "NONEXISTENT_SUBDOMAIN"],
  run: Effect.fnUntraced(function* (visitor, { params: { username } }) {
    const { mode } = yield* Config
    if (mode !== "development") return yield* badRequest("Endpoint not available in production.")
    const place = yield* requireRealm(visitor)
    const user = place.realm.findUserByEmail(username.trim())
    if (user === undefined) return yield* signInFailed("AUTHENTICATION_FAILED", "There is no such account")
    return yield* handOut(place, user)
  }),
})
