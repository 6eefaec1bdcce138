/**
 * PATCH /users/{user_id}: changes a user's role. The role decides which system groups the user is in and which channels
 * and addresses they see, and the user's clients get an event for each of these changes. If that would be too many
 * events, the user's queues end instead, and their clients register again.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, data, nothing, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { integer, mapped, optional, text } from "../../../api/params.ts"
import { toRealm, toUsers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement, judged, refused } from "../../../events/command.ts"
import type { NewRow, Step } from "../../../events/step.ts"
import { UserId } from "../../../ids.ts"
import { readerSteps, roleSteps } from "../../changing/message-moves/access-steps.ts"
import { defaultChannelIds } from "../../channels/channels/default-channels.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "../../channels/channels/default-channels-event.ts"
import { defaultGroups } from "../../channels/channels/default-groups.ts"
import { contactsStep } from "../../ground/kinds/guest-contacts-row.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { isGuest, isLastOwner, mayChangeRole, mayRunBot, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { personSightRows } from "../../ground/permissions/sight.ts"
import { isLimited } from "../../ground/realm/acquaintance.ts"
import { maySeeAddress } from "../../ground/realm/addresses.ts"
import { findUser } from "../../ground/realm/find-user.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { withRules } from "../../ground/realm/rules.ts"
import { type Role, roleNumbers } from "../../ground/realm/values.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { membershipRows } from "../user-groups/membership-rows.ts"
import { realmBotKind } from "./people-event.ts"

/** The most rows about addresses and bots in one change of role, because they are written under the log's lock. */
const mostTold = 500

/** The default channels and their groups, which guests do not see. */
const defaultRows = (realm: Realm, user: UserRecord): ReadonlyArray<NewRow> => [
  defaultStreamsKind.tell({ channel_ids: defaultChannelIds(realm, user) }, toUsers([user.id])),
  defaultStreamGroupsKind.tell({ groups: isGuest(user) ? [] : realm.part(defaultGroups).all }, toUsers([user.id])),
]

/**
 * The rows about channels, addresses and bots that the user sees newly or no longer; null if they would be too many.
 */
const changedSight = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<Step> | null => {
  if (!realm.isActive(before.id)) return []
  const turned = [...realm.users.values()].filter((user) => maySeeAddress(before, user) !== maySeeAddress(after, user))
  const bots = [...realm.users.values()].filter(
    (user) => user.is_bot && mayRunBot(before, user) !== mayRunBot(after, user),
  )
  const channels = personSightRows(realm, before, after)
  if (channels === null || turned.length + bots.length > mostTold) return null
  const rulesAfter = withRules(realm, { users: new Map(realm.users).set(after.id, after) })
  const { first, last } = readerSteps(realm, rulesAfter, realm.channels.values(), [after])
  const toThem = toUsers([after.id])
  const addressOf = (user: UserRecord) => (maySeeAddress(after, user) ? user.email : null)
  return [
    ...first,
    ...channels,
    ...last,
    ...turned.map((user) =>
      realmUserRows.tell({ op: "update", user_id: user.id, delivery_email: addressOf(user) }, toThem),
    ),
    ...bots.map((bot) => realmBotKind.tell({ op: mayRunBot(after, bot) ? "add" : "delete", user_id: bot.id }, toThem)),
    ...(isGuest(before) === isGuest(after) ? [] : defaultRows(realm, after)),
  ]
}

/** `wanted`: undefined if the request names no role; permissions are checked all the same. */
const changeRole = (caller: Caller, target: UserId, wanted: Role | undefined): Command<Realm, void> => ({
  judge: (realm) =>
    judged(requireActor(realm, caller), (actor): Judgement<void> => {
      const user = findUser(realm, actor, target)
      if (user === undefined) return refused(noSuchUser())
      const role = wanted ?? user.role
      if (!mayChangeRole(actor, user, role)) return refused(ranksTooLow(actor))
      if (user.role === role) return done(undefined)
      if (isLastOwner(realm, user))
        return refused(badRequest("The owner permission cannot be removed from the only organization owner."))
      const changed: UserRecord = { ...user, role }
      // Of all people, or of few: too many to tell.
      const turnsLimited = isLimited(realm, user) !== isLimited(realm, changed)
      const sight = turnsLimited ? null : changedSight(realm, user, changed)
      const groups = realm.isActive(target)
        ? [...membershipRows(realm, user, "remove_members"), ...membershipRows(realm, changed, "add_members")]
        : []
      return change([
        ...(sight === null || !realm.isActive(target) ? [] : roleSteps(user, changed)),
        realmUserRows.change({ op: "update", user_id: target, role }, toRealm),
        ...(isGuest(changed) ? [contactsStep(target)] : []),
        ...groups,
        ...(sight ?? [endQueuesRow([target])]),
      ])
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
  reply: nothing,
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { userId, role, ...others }) {
    const { fullName, profileData, newEmail } = others
    if (fullName !== undefined || profileData !== undefined || newEmail !== undefined)
      return yield* badRequest("Of a user only the role can be changed yet")
    const realms = yield* Realms
    yield* realms.submit(caller.realm, changeRole(caller, UserId(userId), role))
    return data()
  }),
})
