/**
 * The setting `authentication_methods` of PATCH /realm: which ways to sign in are on. Methods that are not named stay as
 * they are. One that takes a name and a password is always left, else nobody could sign in and switch them on again.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { type Decoded, json, optional } from "../../../api/params.ts"
import { boolean, either, optional as field, object, shape } from "../../../api/shapes.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { RealmSettings } from "../../ground/realm/realm-settings.ts"
import { mayUsePasswords, type SignInSettings } from "../../ground/sign-in/password-sign-in.ts"

/** The names and values are short. */
const longest = 1000

/** On or off; or as register shows it, for clients that send it back. */
const method = field(either(boolean, object({ enabled: boolean }), "is not a boolean"))
const methodFields = { Email: method, LDAP: method, Dev: method }
const knownMethods = object(methodFields)
const methods = shape({ ...knownMethods.schema, additionalProperties: false }, (value, path, surplus) =>
  Predicate.isObject(value) && Object.keys(value).some((name) => !Object.hasOwn(methodFields, name))
    ? Result.fail(`Invalid ${path}: it names a method that the server does not know`)
    : knownMethods(value, path, surplus),
)

export const signInMethods = optional(json("authentication_methods", methods, { max: longest }))

const isOn = (value: boolean | { readonly enabled: boolean } | undefined, present: boolean): boolean =>
  value === undefined ? present : typeof value === "boolean" ? value : value.enabled

/** The settings that the request names, as they are to be, or why they may not. */
export const readSignInMethods = (
  { password_auth_enabled, ldap_auth_enabled }: RealmSettings,
  wanted: Decoded<{ readonly methods: typeof signInMethods }>["methods"],
  config: ConfigShape,
): Checked<Partial<SignInSettings>> => {
  if (wanted === undefined) return Result.succeed({})
  const { Email, LDAP, Dev } = wanted
  if (LDAP !== undefined && config.directory === null)
    return Result.fail(badRequest("Invalid authentication method: LDAP. The server has no directory."))
  const isDevelopment = config.mode === "development"
  if (isOn(Dev, isDevelopment) !== isDevelopment)
    return Result.fail(badRequest("The authentication method Dev is on in development mode, and only there."))
  const changes: SignInSettings = {
    password_auth_enabled: isOn(Email, password_auth_enabled),
    ldap_auth_enabled: isOn(LDAP, ldap_auth_enabled),
  }
  return mayUsePasswords(changes, config)
    ? Result.succeed(changes)
    : Result.fail(badRequest("At least one authentication method must be enabled."))
}
