/**
 * A change of a user's role, which decides which system groups the user is in and which channels and addresses they see; the
 * user's clients get an event for each of these changes. If that would be too many events, the user's queues end instead, and
 * their clients register again.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { toRealm, toUsers } from "../../../events/audience.ts"
import type { NewRow, Step } from "../../../events/step.ts"
import { readerSteps, roleSteps } from "../../changing/message-moves/access-steps.ts"
import { defaultChannelIds } from "../../channels/channels/default-channels.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "../../channels/channels/default-channels-event.ts"
import { defaultGroups } from "../../channels/channels/default-groups.ts"
import { runnerRow } from "../../ground/bot-settings/bot-rows.ts"
import { botSettings } from "../../ground/bot-settings/bot-settings.ts"
import { contactsStep } from "../../ground/kinds/guest-contacts-row.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { isGuest, isLastOwner, mayChangeRole, mayRunBot, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { personSightRows } from "../../ground/permissions/sight.ts"
import { isLimited } from "../../ground/realm/acquaintance/acquaintance.ts"
import { maySeeAddress } from "../../ground/realm/addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { withRules } from "../../ground/realm/rules.ts"
import type { Role } from "../../ground/realm/values.ts"
import { membershipRows } from "../user-groups/membership-rows.ts"

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
  const runners = [...realm.users.values()].filter(
    (user) => before.is_bot && realm.isActive(user.id) && mayRunBot(user, before) !== mayRunBot(user, after),
  )
  const channels = personSightRows(realm, before, after)
  if (channels === null || turned.length + bots.length + runners.length > mostTold) return null
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
    ...bots.map((bot) => runnerRow(after, bot, mayRunBot(after, bot), realm.part(botSettings).of(bot.id))),
    ...runners.map((user) => runnerRow(user, after, mayRunBot(user, after), realm.part(botSettings).of(after.id))),
    ...(isGuest(before) === isGuest(after) ? [] : defaultRows(realm, after)),
  ]
}

/** The steps that give the user a role; none where they have it. Whether the actor may do that is checked here. */
export const planRole = (
  realm: Realm,
  actor: UserRecord,
  user: UserRecord,
  role: Role,
): Checked<ReadonlyArray<Step>> => {
  if (!mayChangeRole(actor, user, role)) return Result.fail(ranksTooLow(actor))
  if (user.role === role) return Result.succeed([])
  if (isLastOwner(realm, user))
    return Result.fail(badRequest("The owner permission cannot be removed from the only organization owner."))
  const changed: UserRecord = { ...user, role }
  const isActive = realm.isActive(user.id)
  // Of all people, or of few: too many to tell.
  const turnsLimited = isLimited(realm, user) !== isLimited(realm, changed)
  const sight = turnsLimited ? null : changedSight(realm, user, changed)
  const groups = isActive
    ? [...membershipRows(realm, user, "remove_members"), ...membershipRows(realm, changed, "add_members")]
    : []
  return Result.succeed([
    ...(sight === null || !isActive ? [] : roleSteps(user, changed)),
    realmUserRows.change({ op: "update", user_id: user.id, role }, toRealm),
    ...(isGuest(changed) ? [contactsStep(user.id)] : []),
    ...groups,
    ...(sight ?? [endQueuesRow([user.id])]),
  ])
}
