/**
 * `parley org create` and `org list`. A new organization gets its system groups, the channel #general that everybody is
 * subscribed to, and its owner, who is welcomed as any new account is. It is made in several commits: where they were cut off,
 * the same command goes on, because each part is looked up before it is made.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { Database } from "../../../db/database.ts"
import { type Command, change, done } from "../../../events/command.ts"
import { RealmId } from "../../../ids.ts"
import { newChannel, renderDescription } from "../../channels/channels/new-channel.ts"
import { createRow } from "../../channels/subscriptions/subscription-steps.ts"
import { badCharacterAt, fold, isInvisible, isLongerThan, roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { listRealms, markDemoFinished } from "../../ground/realm/realm-store.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { readEmail, readUserName } from "../../ground/requester/read-names.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { apiKey } from "../../ground/sign-in/sign-in.ts"
import { longestRealmName } from "../../organization/organization/patch-realm.ts"
import { readNewPassword } from "../../people/users/new-user.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { demoHost } from "../setup/demo.ts"
import { createRealm } from "../setup/realm-create.ts"
import { setUpUser } from "../setup/realm-setup.ts"
import { reactivateRealm } from "../setup/setup-commands.ts"
import type { ServerCommand } from "./command-schema.ts"

const longestHost = 253
const hostShape =
  /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$|^\d{1,3}(\.\d{1,3}){3}$/

/** A name as it stands in the Host header of requests, without the port. */
const readHost = (raw: string): Checked<string> => {
  const host = raw.trim().toLowerCase()
  if (host.length > longestHost || !hostShape.test(host))
    return Result.fail(
      badRequest(`${JSON.stringify(raw)} is no host: expected a name like chat.example.org, without https:// and port`),
    )
  return host === demoHost
    ? Result.fail(badRequest(`${demoHost} is the host of the demo organization, which production does not serve`))
    : Result.succeed(host)
}

export const readRealmName = (raw: string): Checked<string> => {
  const name = raw.trim()
  if (isInvisible(name)) return Result.fail(badRequest("The name of an organization cannot be blank"))
  if (isLongerThan(name, longestRealmName))
    return Result.fail(badRequest(`The name of an organization has at most ${longestRealmName} characters`))
  return badCharacterAt(name) === undefined
    ? Result.succeed(name)
    : Result.fail(badRequest("The name of the organization has a character that no name may have"))
}

const generalChannel = {
  name: "general",
  description: "For everybody and everything.",
  isPrivate: false,
  isWebPublic: false,
  historyShared: true,
  isDefault: true,
}

const firstMessage = `This is #**general**. Everybody who joins is subscribed to it.

Each message of a channel belongs to a topic; this one is called **welcome**. Administrators make further channels.`

/** Makes #general with its first message, unless it is there. */
const setUpGeneral = Effect.fnUntraced(function* (id: RealmId) {
  const realms = yield* Realms
  const clock = yield* Clock
  const command: Command<Realm, void> = {
    judge: (realm) => {
      if (realm.findChannelByName(generalChannel.name) !== undefined) return done(undefined)
      const channel = {
        ...newChannel(realm.nextChannelId(), generalChannel, null, clock.now()),
        rendered_description: renderDescription(realm, generalChannel.description),
      }
      const notice = { channel, topic: "welcome", content: firstMessage, links: channel }
      return change([createRow(realm, channel, []), ...noticeSteps(realm, [notice])])
    },
  }
  yield* realms.submit(id, command)
})

/** The id of a new organization, or of one that was begun at this host. */
const beginRealm = Effect.fnUntraced(function* (host: string, name: string) {
  const database = yield* Database
  const realms = yield* listRealms(database)
  // Beside another it would answer at its own host only, which no request of development mode may have.
  if (realms.some((realm) => realm.host === demoHost))
    return yield* badRequest("The database holds the demo organization: others need a database of their own")
  const known = realms.find((realm) => fold(realm.host) === fold(host))
  if (known !== undefined)
    return known.unfinished ? known.id : yield* badRequest(`There is an organization at ${host} already`)
  const id = 1 + Math.max(0, ...realms.map((realm) => realm.id))
  return yield* createRealm(database, { id, host, settings: { name, unfinished: true } }, null)
})

type CommandNamed<Name> = Extract<ServerCommand, { readonly do: Name }>

/** What is known to be valid. */
export interface NewOrganization {
  readonly host: string
  readonly name: string
  readonly email: string
  readonly fullName: string
  readonly passwordHash: string | null
}

/** Makes an organization with its owner, or goes on with one that was begun at the host. */
export const makeOrganization = Effect.fnUntraced(function* (wanted: NewOrganization) {
  const { host, name, email, fullName, passwordHash } = wanted
  const realms = yield* Realms
  const id = yield* beginRealm(host, name)
  yield* realms.refresh()
  const { realm } = yield* realms.get(id)
  const other = [...realm.users.values()].find((user) => fold(user.email) !== fold(email))
  if (other !== undefined)
    return yield* badRequest(
      `The organization at ${host} was begun with the owner ${other.email}: name this one to go on`,
    )
  yield* setUpGeneral(id)
  const owner = { email, fullName, role: roles.owner, isBot: false, isWelcomed: true, passwordHash }
  const user = realm.users.get(yield* setUpUser(id, owner))
  if (user === undefined) return yield* Effect.die(new Error("a new owner is not in the projection"))
  yield* markDemoFinished(yield* Database, id)
  return { id, realm, user }
})

export const createOrganization = Effect.fnUntraced(function* (wanted: CommandNamed<"org create">) {
  const host = yield* Effect.fromResult(readHost(wanted.host))
  const name = yield* Effect.fromResult(readRealmName(wanted.name))
  const email = yield* Effect.fromResult(readEmail(wanted.ownerEmail))
  const fullName = yield* Effect.fromResult(readUserName(wanted.ownerName))
  const password = wanted.password === null ? null : yield* Effect.fromResult(readNewPassword(wanted.password))
  const passwordHash = password === null ? null : yield* (yield* Passwords).hash(password)
  const { id, realm, user } = yield* makeOrganization({ host, name, email, fullName, passwordHash })

  const { secret } = yield* Config
  const all = yield* listRealms(yield* Database)
  const key = apiKey(secret, id, user)
  return [
    `Organization ${realm.settings.name} at ${host}`,
    `Owner ${user.full_name}, ${user.email}${passwordHash === null ? ", without a password yet" : ""}`,
    `API key ${key}`,
    ...(all.length === 2
      ? ["This server has several organizations now: each answers at its own host only, no longer at every name."]
      : []),
  ].join("\n")
})

export const listOrganizations = Effect.fnUntraced(function* () {
  const realms = yield* Realms
  const lines: Array<string> = []
  for (const { id, host, unfinished } of yield* listRealms(yield* Database)) {
    const { realm } = yield* realms.get(id)
    const active = [...realm.users.values()].filter((user) => !user.is_bot && realm.isActive(user.id)).length
    const state = unfinished ? ", unfinished: repeat its org create" : realm.isDeactivated ? ", deactivated" : ""
    lines.push(`${host}  ${realm.settings.name}  (${active} ${active === 1 ? "person" : "people"}${state})`)
  }
  return lines.length === 0 ? "There is no organization." : lines.join("\n")
})

export const findOrganization = Effect.fnUntraced(function* (host: string | null) {
  const realms = yield* listRealms(yield* Database)
  const [first, ...others] = realms
  if (first === undefined) return yield* badRequest("There is no organization yet: parley org create makes one")
  const hosts = realms.map((realm) => realm.host).join(", ")
  const named = host === null ? undefined : realms.find((realm) => fold(realm.host) === fold(host.trim()))
  if (host === null && others.length > 0)
    return yield* badRequest(`There are several organizations: name one with --org (${hosts})`)
  if (host !== null && named === undefined)
    return yield* badRequest(`There is no organization at ${JSON.stringify(host)} (there is ${hosts})`)
  const found = named ?? first
  const { realm } = yield* (yield* Realms).get(found.id)
  return { id: RealmId(found.id), host: found.host, realm }
})

/** The organization that a command about an account names: by its host, or as the only one. */
export const requireOrganization = Effect.fnUntraced(function* (host: string | null) {
  const found = yield* findOrganization(host)
  return found.realm.isDeactivated
    ? yield* badRequest(`The organization at ${found.host} is deactivated: parley org reactivate brings it back`)
    : found
})

/** Brings back an organization that an owner has deactivated, as it was: everybody's keys and passwords are those of before. */
export const reactivateOrganization = Effect.fnUntraced(function* ({ org }: CommandNamed<"org reactivate">) {
  const { id, host, realm } = yield* findOrganization(org)
  if (!realm.isDeactivated) return yield* badRequest(`The organization at ${host} is not deactivated`)
  yield* reactivateRealm(id)
  return `The organization ${realm.settings.name} at ${host} is back`
})
