/**
 * `parley user list`, `user role`, `user deactivate` and `user reactivate`: what an operator does where no owner can, or without
 * signing in. No permissions are checked, because no user asks; everything else that an organization holds to does, such as that
 * it always has an owner: the steps are those of the endpoints.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { change, done, type Judgement, refused } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { newServiceToken } from "../../ground/bot-settings/bot-settings.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { planLeaving } from "../../people/accounts/deactivate-account.ts"
import { judgeReturn } from "../../people/users/reactivate.ts"
import { planRole } from "../../people/users/roles/roles.ts"
import { roleNames, type ServerCommand } from "./command-schema.ts"
import { requireOrganization } from "./organization-commands.ts"

type Wanted<Name> = Extract<ServerCommand, { readonly do: Name }>

/** People of one answer, which is held whole by both sides. */
export const mostListed = 1000

const roleOf = (user: UserRecord): string => roleNames.find((name) => roles[name] === user.role) ?? String(user.role)

const recordOf = (realm: Realm, user: UserRecord) => ({
  user_id: user.id,
  email: user.email,
  full_name: user.full_name,
  role: roleOf(user),
  is_bot: user.is_bot,
  is_active: realm.isActive(user.id),
})

const lineOf = ({ user_id, email, full_name, role, is_bot, is_active }: ReturnType<typeof recordOf>): string =>
  `${user_id}  ${email}  ${full_name}  (${role}${is_bot ? ", bot" : ""}${is_active ? "" : ", deactivated"})`

/** By their numbers, the deactivated too. */
export const listPeople = Effect.fnUntraced(function* ({ org, after, json }: Wanted<"user list">) {
  const { host, realm } = yield* requireOrganization(org)
  const rest = [...realm.users.values()].filter(({ id }) => id > after).sort((a, b) => a.id - b.id)
  const listed = rest.slice(0, mostListed).map((user) => recordOf(realm, user))
  const next = rest.length > mostListed ? (listed.at(-1)?.user_id ?? null) : null
  if (json) return JSON.stringify({ organization: host, users: listed, next })
  if (listed.length === 0) return `There is nobody in ${host} after number ${after}.`
  return [...listed.map(lineOf), ...(next === null ? [] : [`There are more: --after ${next}`])].join("\n")
})

const requirePerson = Effect.fnUntraced(function* (org: string | null, email: string) {
  const { id, host, realm } = yield* requireOrganization(org)
  const user = realm.findUserByEmail(email.trim())
  if (user === undefined) return yield* badRequest(`Nobody in ${host} has the address ${JSON.stringify(email)}`)
  return { id, host, realm, user: user.id }
})

/** Has `plan` judged with the account as it is then. */
const submit = Effect.fnUntraced(function* (
  id: RealmId,
  user: UserId,
  plan: (realm: Realm, user: UserRecord) => Judgement<void>,
) {
  const realms = yield* Realms
  yield* realms.submit(id, {
    judge: (realm: Realm): Judgement<void> => {
      const known = realm.users.get(user)
      return known === undefined ? refused(noSuchUser()) : plan(realm, known)
    },
  })
})

/** What is told of an account after a command about it. */
const told = (realm: Realm, user: UserId, json: boolean, words: (name: string) => string): string => {
  const known = realm.users.get(user)
  if (known === undefined) return ""
  return json ? JSON.stringify(recordOf(realm, known)) : words(`${known.full_name}, ${known.email},`)
}

export const giveRole = Effect.fnUntraced(function* ({ org, email, role, json }: Wanted<"user role">) {
  const { id, host, realm, user } = yield* requirePerson(org, email)
  yield* submit(id, user, (realm, known) => {
    const planned = planRole(realm, null, known, roles[role])
    if (Result.isFailure(planned)) return refused(planned.failure)
    return planned.success.length === 0 ? done(undefined) : change(planned.success)
  })
  return told(
    realm,
    user,
    json,
    (name) => `${name} is ${role === "owner" || role === "administrator" ? "an" : "a"} ${role} of ${host}`,
  )
})

export const deactivateAccount = Effect.fnUntraced(function* ({ org, email, json }: Wanted<"user deactivate">) {
  const { id, host, realm, user } = yield* requirePerson(org, email)
  yield* submit(id, user, (realm, known) => {
    const planned = planLeaving(realm, known)
    if (Result.isFailure(planned)) return refused(planned.failure)
    return planned.success === null ? done(undefined) : change(planned.success)
  })
  return told(realm, user, json, (name) => `${name} is deactivated in ${host}, with all that signed in as them`)
})

export const reactivateAccount = Effect.fnUntraced(function* ({ org, email, json }: Wanted<"user reactivate">) {
  const { id, host, realm, user } = yield* requirePerson(org, email)
  const token = newServiceToken()
  yield* submit(id, user, (realm, known) => judgeReturn(realm, null, known, token))
  return told(realm, user, json, (name) => `${name} is back in ${host}`)
})
