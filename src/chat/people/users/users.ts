/** POST /users and DELETE /users/{user_id}: makes and deactivates users. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { integer, text } from "../../../api/params.ts"
import { Clock } from "../../../clock.ts"
import { toRealm, toUsers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judged, refused } from "../../../events/command.ts"
import type { NewRow } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { addRows, channelsOf, type GivenColors, peerRemove } from "../../channels/subscriptions/subscription-steps.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import {
  isAdministrator,
  isLastOwner,
  mayDeactivate,
  mayManageUsers,
  ranksTooLow,
} from "../../ground/permissions/permissions.ts"
import { findPlaceholderId } from "../../ground/realm/addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { withRules } from "../../ground/realm/rules.ts"
import { isSystemAddress } from "../../ground/realm/system-bots.ts"
import { defaultUserSettings } from "../../ground/realm/user-settings.ts"
import { type Role, roles } from "../../ground/realm/values.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readEmail, readUserName } from "../../ground/requester/names.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { longestPassword, Passwords } from "../../ground/sign-in/passwords.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { allMembershipRows, membershipRows, namingRows } from "../user-groups/membership-rows.ts"
import { realmBotKind } from "./people-event.ts"
import { welcomeSteps } from "./welcome.ts"

const minPasswordLength = 6

export interface NewUser {
  readonly email: string
  readonly fullName: string
  readonly role: Role
  readonly isBot: boolean
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
  readonly botType?: 1 | 2 | 3 | 4
  /** null: the bot has no owner. */
  readonly botOwnerId?: UserId | null
  /** Whether the user gets older messages of their channels and a message by Welcome Bot; false if absent. */
  readonly isWelcomed?: boolean
  /** null: the user signs in by API key only. */
  readonly passwordHash: string | null
}

const newRecord = (realm: Realm, user: NewUser, now: number): UserRecord => ({
  id: realm.nextUserId(),
  email: user.email,
  full_name: user.fullName,
  role: user.role,
  is_bot: user.isBot,
  bot_type: user.isBot ? (user.botType ?? 1) : null,
  bot_owner_id: user.isBot ? (user.botOwnerId ?? null) : null,
  timezone: "",
  avatar_version: 1,
  key_version: 1,
  joined_at: now,
  must_reset_password: false,
  settings: defaultUserSettings,
})

/** A new user, who is subscribed to the realm's default channels. */
export const judgeNewUser = (realm: Realm, user: NewUser, now: number): Judgement<UserId> => {
  if (realm.findUserByEmail(user.email) !== undefined)
    return refused(badRequest(`Email '${user.email}' already in use`))
  // The address stands for another user already, or will: messages to it would reach that user.
  if (findPlaceholderId(realm, user.email) !== undefined || isSystemAddress(realm, user.email))
    return refused(badRequest(`Email '${user.email}' not allowed in this organization`))
  const record = newRecord(realm, user, now)
  const given: GivenColors = new Map()
  const candidates = record.role === roles.guest || record.is_bot ? [] : [...realm.channels.values()]
  const channels = candidates.filter((each) => each.is_default && !each.is_archived && !each.is_private)
  const beside = { password_hash: user.passwordHash }
  return change(
    [
      realmUserRows.change({ op: "add", user: record }, toRealm, { beside }),
      ...membershipRows(realm, record, "add_members"),
      ...botRows(realm, record),
      ...channels.flatMap((channel) => addRows(realm, channel, [record], { isNew: false, given })),
      ...(user.isWelcomed === true
        ? welcomeSteps(
            realm,
            record,
            channels.map(({ id }) => id),
          )
        : []),
    ],
    { answer: () => record.id },
  )
}

/** Tells those who may change a new bot about its settings. */
const botRows = (realm: Realm, bot: UserRecord): ReadonlyArray<NewRow> => {
  if (!bot.is_bot) return []
  const users = [...realm.users.values()].filter((user) => isAdministrator(user) || user.id === bot.bot_owner_id)
  return [realmBotKind.tell({ op: "add", user_id: bot.id }, toUsers(users.map(({ id }) => id)))]
}

const createUser = (caller: Caller, user: NewUser, now: () => number): Command<Realm, UserId> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor) =>
      mayManageUsers(actor)
        ? judgeNewUser(realm, user, now())
        : refused(badRequest("User not authorized to create users")),
    ),
})

export const postUsers = userEndpoint({
  method: "POST",
  path: "/users",
  summary: "Makes a user, without asking them to confirm their address.",
  params: { email: text("email"), password: text("password"), fullName: text("full_name") },
  reply: Schema.Struct({ user_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, params) {
    const realms = yield* Realms
    const clock = yield* Clock
    const { user: actor } = yield* requireAccount(caller)
    // Checked again in the command; here it saves hashing a password for a request that will be refused.
    if (!mayManageUsers(actor)) return yield* badRequest("User not authorized to create users")
    const email = yield* Effect.fromResult(readEmail(params.email))
    const fullName = yield* Effect.fromResult(readUserName(params.fullName))
    if (params.password.length < minPasswordLength)
      return yield* badRequest(`password is too short (at least ${minPasswordLength} characters)`)
    if (params.password.length > longestPassword)
      return yield* badRequest(`password is too long (limit: ${longestPassword} characters)`)
    const passwordHash = yield* (yield* Passwords).hash(params.password)
    const user: NewUser = { email, fullName, role: roles.member, isBot: false, isWelcomed: true, passwordHash }
    const id = yield* realms.submit(caller.realm, createUser(caller, user, clock.now))
    return data({ user_id: id })
  }),
})

const deactivate = (caller: Caller, target: UserId): Command<Realm, void> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor): Judgement<void> => {
      const user = realm.users.get(target)
      if (user === undefined) return refused(noSuchUser())
      if (!mayDeactivate(actor, user)) return refused(ranksTooLow(actor))
      if (!realm.isActive(target)) return done(undefined)
      if (isLastOwner(realm, user)) return refused(badRequest("The only organization owner cannot be deactivated."))
      const before = withRules(realm, {})
      const after = withRules(realm, { isActive: (id) => id !== target && realm.isActive(id) })
      return change([
        realmUserRows.change({ op: "update", user_id: target, is_active: false }, toRealm),
        ...allMembershipRows(realm, user, "remove_members"),
        ...channelsOf(realm, target).map((channel) => peerRemove(before, channel, [target])),
        ...namingRows(after, user),
      ])
    }),
})

export const deleteUser = userEndpoint({
  method: "DELETE",
  path: "/users/{user_id:int}",
  summary: "Deactivates a user.",
  params: { userId: integer("user_id") },
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { userId }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, deactivate(caller, UserId(userId)))
    return data()
  }),
})
