/**
 * PATCH /users/{user_id} (contract 3.9): a user's role. With it come and go the membership of the role's groups and the
 * sight of channels and of addresses, and the user's clients are told of each of them. Where that is too much to tell,
 * the user's queues end instead, so that their clients register again.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, data, userEndpoint } from "../../endpoint.ts"
import { badRequest, noSuchUser } from "../../errors.ts"
import { type Command, call, done, type Judgement, judged, refused } from "../../events/command.ts"
import { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { integer, mapped, optional, text } from "../../params.ts"
import { isGuest, isLastOwner, mayChangeRole, mayRunBot, ranksTooLow } from "../permissions/permissions.ts"
import { personSightRows, usersAudience } from "../permissions/sight.ts"
import { maySeeAddress } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { type Role, roleNumbers } from "../realm/values.ts"
import { requireActor } from "../requester/actor.ts"
import { defaultChannelIds } from "../subscriptions/channel-sections.ts"
import { membershipRows } from "../user-groups/membership-rows.ts"

/** Addresses and bots that one change of role tells of: their rows are written under the log's lock. */
const mostTold = 500

/** What the user sees of the realm's channels, addresses and bots otherwise than before; null where it is too much to tell. */
const changedSight = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<JsonObject> | null => {
  if (!realm.isActive(before.id)) return []
  const turned = [...realm.users.values()].filter((user) => maySeeAddress(before, user) !== maySeeAddress(after, user))
  const bots = [...realm.users.values()].filter(
    (user) => user.is_bot && mayRunBot(before, user) !== mayRunBot(after, user),
  )
  const channels = personSightRows(realm, before, after)
  if (channels === null || turned.length + bots.length > mostTold) return null
  return [
    ...channels,
    ...turned.map((user) => ({
      type: "realm_user",
      payload: {
        op: "update",
        user_id: user.id,
        delivery_email: maySeeAddress(after, user) ? user.email : null,
      },
      audience: usersAudience([after.id]),
    })),
    ...bots.map((bot) => ({
      type: "realm_bot",
      payload: { op: mayRunBot(after, bot) ? "add" : "delete", user_id: bot.id },
      audience: usersAudience([after.id]),
    })),
    ...(isGuest(before) === isGuest(after) ? [] : defaultRows(realm, after)),
  ]
}

/** Guests are not told which channels new people are put into. */
const defaultRows = (realm: Realm, user: UserRecord): ReadonlyArray<JsonObject> => [
  {
    type: "default_streams",
    payload: { channel_ids: defaultChannelIds(realm, user), told: true },
    audience: usersAudience([user.id]),
  },
  {
    type: "default_stream_groups",
    payload: { groups: isGuest(user) ? [] : realm.defaultGroups, told: true },
    audience: usersAudience([user.id]),
  },
]

/** `wanted`: undefined where nothing is to be changed, which is refused to the same people. */
const changeRole = (caller: Caller, target: UserId, wanted: Role | undefined): Command<Realm, void> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor): Judgement<void> => {
      const user = realm.users.get(target)
      if (user === undefined) return refused(noSuchUser())
      const role = wanted ?? user.role
      if (!mayChangeRole(actor, user, role)) return refused(ranksTooLow(actor))
      if (user.role === role) return done(undefined)
      if (isLastOwner(realm, user))
        return refused(badRequest("The owner permission cannot be removed from the only organization owner."))
      const changed: UserRecord = { ...user, role }
      const sight = changedSight(realm, user, changed)
      const groups = realm.isActive(target)
        ? [...membershipRows(realm, user, "remove_members"), ...membershipRows(realm, changed, "add_members")]
        : []
      const payload = { op: "update", user_id: target, role, ...(sight === null ? { ends_queues: true } : {}) }
      const row = { payload, audience: { kind: "realm" } }
      return call("change_roles_v1", { row, rows: [...groups, ...(sight ?? [])] }, true)
    }),
})

const isRole = (value: number): value is Role => roleNumbers.some((role) => role === value)

const role = mapped(integer("role"), (value) =>
  isRole(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid role")),
)

export const patchUser = userEndpoint({
  method: "PATCH",
  path: "/users/{user_id:int}",
  summary: "Changes a user's role.",
  params: {
    userId: integer("user_id"),
    role: optional(role),
    fullName: optional(text("full_name")),
    profileData: optional(text("profile_data")),
    newEmail: optional(text("new_email")),
  },
  run: Effect.fnUntraced(function* (caller, { userId, role, ...others }) {
    const { fullName, profileData, newEmail } = others
    if (fullName !== undefined || profileData !== undefined || newEmail !== undefined)
      return yield* badRequest("Of a user only the role can be changed yet")
    const realms = yield* Realms
    yield* realms.submit(caller.realm, changeRole(caller, UserId(userId), role))
    return data()
  }),
})
