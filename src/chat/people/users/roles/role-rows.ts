/**
 * The rows of a role that changes, whoever asked for it: groups, channels, addresses and bots that come into sight or go. If
 * that would be too many events, the user's queues end instead, and their clients register again.
 */
import { toRealm, toUsers } from "../../../../events/audience.ts"
import type { CommandStep, NewRow } from "../../../../events/step.ts"
import { readerSteps, roleSteps } from "../../../changing/message-moves/access-steps.ts"
import { defaultChannelIds } from "../../../channels/channels/default-channels.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "../../../channels/channels/default-channels-event.ts"
import { defaultGroups } from "../../../channels/channels/default-groups.ts"
import { runnerRow } from "../../../ground/bot-settings/bot-rows.ts"
import { botSettings } from "../../../ground/bot-settings/bot-settings.ts"
import { contactsStep } from "../../../ground/kinds/guest-contacts-row.ts"
import { endQueuesRow } from "../../../ground/kinds/queue-end-row.ts"
import { realmUserRows } from "../../../ground/kinds/realm-user-row.ts"
import { personVisibilityRows } from "../../../ground/permissions/channel-visibility.ts"
import { isGuest, mayRunBot } from "../../../ground/permissions/permissions.ts"
import { isLimited } from "../../../ground/realm/acquaintance/acquaintance.ts"
import type { Role } from "../../../ground/realm/domain-values.ts"
import { maySeeAddress } from "../../../ground/realm/email-addresses.ts"
import type { Realm } from "../../../ground/realm/realm.ts"
import { withChangedRules } from "../../../ground/realm/realm-rules.ts"
import type { UserRecord } from "../../../ground/realm/records.ts"
import { membershipRows } from "../../user-groups/membership-rows.ts"

/** The most rows about addresses and bots in one change of role, because they are written under the log's lock. */
const mostTold = 500

/** The default channels and their groups, which guests do not see. */
const defaultRows = (realm: Realm, user: UserRecord): ReadonlyArray<NewRow> => [
  defaultStreamsKind.tell({ channel_ids: defaultChannelIds(realm, user) }, toUsers([user.id])),
  defaultStreamGroupsKind.tell({ groups: isGuest(user) ? [] : realm.part(defaultGroups).all }, toUsers([user.id])),
]

/** A bot of another role is run by others, who are told; where they are too many, their queues end. */
const runnerRows = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<NewRow> => {
  if (!before.is_bot) return []
  const turned = [...realm.users.values()].filter(
    (user) => realm.isActive(user.id) && mayRunBot(user, before) !== mayRunBot(user, after),
  )
  const settings = realm.part(botSettings).of(after.id)
  return turned.length > mostTold
    ? [endQueuesRow(turned.map(({ id }) => id))]
    : turned.map((user) => runnerRow(user, after, mayRunBot(user, after), settings))
}

/** The rows about channels, addresses and bots that the user sees newly or no longer; null if they would be too many. */
const changedVisibility = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<CommandStep> | null => {
  if (!realm.isActive(before.id)) return []
  const turned = [...realm.users.values()].filter((user) => maySeeAddress(before, user) !== maySeeAddress(after, user))
  const bots = [...realm.users.values()].filter(
    (user) => user.is_bot && mayRunBot(before, user) !== mayRunBot(after, user),
  )
  const channels = personVisibilityRows(realm, before, after)
  if (channels === null || turned.length + bots.length > mostTold) return null
  const rulesAfter = withChangedRules(realm, { users: new Map(realm.users).set(after.id, after) })
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
    ...(isGuest(before) === isGuest(after) ? [] : defaultRows(realm, after)),
  ]
}

/** `visibility`: null: the user's queues end. */
const changeRole = (
  realm: Realm,
  user: UserRecord,
  after: UserRecord,
  visibility: ReadonlyArray<CommandStep> | null,
): ReadonlyArray<CommandStep> => {
  const isActive = realm.isActive(user.id)
  const groups = isActive
    ? [...membershipRows(realm, user, "remove_members"), ...membershipRows(realm, after, "add_members")]
    : []
  return [
    ...(visibility === null || !isActive ? [] : roleSteps(user, after)),
    realmUserRows.change({ op: "update", user_id: user.id, role: after.role }, toRealm),
    ...(isGuest(after) ? [contactsStep(user.id)] : []),
    ...groups,
    ...runnerRows(realm, user, after),
    ...(visibility ?? [endQueuesRow([user.id])]),
  ]
}

/** The rows of a person or a bot that gets a role, told one by one where they are few. */
export const roleRows = (realm: Realm, user: UserRecord, role: Role): ReadonlyArray<CommandStep> => {
  const after: UserRecord = { ...user, role }
  // Of all people, or of few: too many to tell.
  const turnsLimited = isLimited(realm, user) !== isLimited(realm, after)
  return changeRole(realm, user, after, turnsLimited ? null : changedVisibility(realm, user, after))
}

/** The same for a bot that only follows its owner. An owner may have a hundred: their clients register again. */
export const followingRows = (realm: Realm, bot: UserRecord, role: Role): ReadonlyArray<CommandStep> =>
  changeRole(realm, bot, { ...bot, role }, null)
