/** `parley user create`, `user api-key` and `user password`. As in setup, no permissions are checked, because no user asks. */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { readEmail, readUserName } from "../../ground/requester/read-names.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { judgeNewUser, type NewUser, readNewPassword } from "../../people/users/new-user.ts"
import { changePassword, renewApiKey } from "../setup/setup-commands.ts"
import type { ServerCommand } from "./command-schema.ts"
import { requireOrganization } from "./organization-commands.ts"

type CommandNamed<Name> = Extract<ServerCommand, { readonly do: Name }>

export const createAccount = Effect.fnUntraced(function* (wanted: CommandNamed<"user create">) {
  const realms = yield* Realms
  const clock = yield* Clock
  const { id, host } = yield* requireOrganization(wanted.org)
  const email = yield* Effect.fromResult(readEmail(wanted.email))
  const fullName = yield* Effect.fromResult(readUserName(wanted.name))
  const password = wanted.password === null ? null : yield* Effect.fromResult(readNewPassword(wanted.password))
  const passwordHash = password === null ? null : yield* (yield* Passwords).hash(password)
  const user: NewUser = { email, fullName, role: roles[wanted.role], isBot: false, isWelcomed: true, passwordHash }
  yield* realms.submit(id, { judge: (realm) => judgeNewUser(realm, user, clock.now()) })
  const how = passwordHash === null ? ", without a password yet" : ""
  return `${fullName}, ${email}, is a new ${wanted.role} of ${host}${how}`
})

const requireAccount = Effect.fnUntraced(function* (org: string | null, email: string) {
  const { id, host, realm } = yield* requireOrganization(org)
  const user = realm.findUserByEmail(email.trim())
  if (user === undefined) return yield* badRequest(`Nobody in ${host} has the address ${JSON.stringify(email)}`)
  if (!realm.isActive(user.id)) return yield* badRequest(`The account of ${user.email} is deactivated`)
  return { id, realm, user }
})

/** Answers the key alone, for scripts. */
export const findApiKey = Effect.fnUntraced(function* ({ org, email, isNew }: CommandNamed<"user api-key">) {
  const { secret } = yield* Config
  const { id, realm, user } = yield* requireAccount(org, email)
  if (isNew) yield* renewApiKey(id, user.id)
  return apiKey(secret, id, realm.users.get(user.id) ?? user)
})

export const setPassword = Effect.fnUntraced(function* ({
  org,
  email,
  password: given,
}: CommandNamed<"user password">) {
  const password = yield* Effect.fromResult(readNewPassword(given))
  const { id, user } = yield* requireAccount(org, email)
  if (user.is_bot) return yield* badRequest(`${user.email} is a bot, and bots sign in by key only`)
  yield* changePassword(id, user.id, yield* (yield* Passwords).hash(password))
  return `${user.email} has a new password`
})
