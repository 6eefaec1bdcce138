/**
 * Which users see which channels (metadata access) before and after a change, and the rows that tell them of the
 * difference. Used for every change that shows or hides channels: roles, groups, permissions, privacy. Users who newly
 * see a channel get its record and its subscribers; users who no longer see it are told that it is deleted.
 */
import {
  type Audience,
  type PrivacyAtRow,
  toChannel,
  toHolders,
  toSubscribers,
  toUsers,
} from "../../../events/audience.ts"
import { type Membership, type UserSet, userSet } from "../../../events/event.ts"
import type { NewRow } from "../../../events/step.ts"
import { type GroupId, UserId } from "../../../ids.ts"
import { endQueuesRow } from "../kinds/queue-end-row.ts"
import { streamRows } from "../kinds/stream-row.ts"
import { subscriptionRows } from "../kinds/subscription-row.ts"
import type { SystemGroupName } from "../realm/domain-values.ts"
import { channelChoices, type PermissionChoice } from "../realm/permission-choices.ts"
import type { Rules } from "../realm/realm-rules.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import {
  contentPermissions,
  isAdministrator,
  isOfSystemGroup,
  mayBeGiven,
  mayKnowOf,
  visibilityPermissions,
} from "./permissions.ts"

/** The most channels that rows tell of. For more the queues end instead, and the clients register again. */
const mostTold = 500

/** The most pairs of a user and a channel that are compared in one turn of the event loop: this many take 12 ms. */
const mostAsked = 12_000

/** The privacy of a channel at a row, recorded in its audience: it decides later who might see the channel then. */
export const privacyAtRow = ({ is_private, is_web_public, history_shared }: ChannelRecord): PrivacyAtRow => ({
  isPrivate: is_private,
  isWebPublic: is_web_public,
  historyShared: history_shared,
})

type PermissionNames = ReadonlyArray<(typeof visibilityPermissions)[number]>
type HoldsBetween = Pick<Membership, "heldBetween">

/** What a function finds, computed once for as long as these rules live. */
const keptBy = (rules: Rules, key: string, find: () => ReadonlyArray<UserId>): ReadonlyArray<UserId> => {
  const known = rules.found?.get(key)
  if (known !== undefined) return known
  const found = find()
  rules.found?.set(key, found)
  return found
}

/** The active users in one of these groups of roles to whom the permission may be given: 10,000 users take a millisecond. */
const holdersByRole = (
  rules: Rules,
  roles: ReadonlyArray<SystemGroupName>,
  choice: PermissionChoice,
): ReadonlyArray<UserId> => {
  const find = () =>
    [...rules.users.values()]
      .filter((user) => roles.some((role) => isOfSystemGroup(rules, user, role)))
      .filter((user) => mayBeGiven(user, choice) && rules.isActive(user.id))
      .map(({ id }) => id)
  return roles.length === 0 ? [] : keptBy(rules, `${[...roles].sort()} ${choice.everyone === true}`, find)
}

/**
 * The active users who hold a permission of a channel. Where it names nobody beside groups of roles, or only people who are in
 * them, this is the list of these groups itself.
 */
export const holdersOfOne = (
  rules: Rules,
  { permissions }: ChannelRecord,
  name: PermissionNames[number],
): ReadonlyArray<UserId> => {
  const { members, systems } = rules.groups.closureOfSetting(permissions[name])
  const roles = systems.filter((system) => system !== "role:nobody")
  const byRole = holdersByRole(rules, roles, channelChoices[name])
  const others: Array<UserId> = []
  for (const member of members) {
    const user = rules.users.get(UserId(member))
    if (user === undefined || !mayBeGiven(user, channelChoices[name]) || !rules.isActive(user.id)) continue
    if (!roles.some((role) => isOfSystemGroup(rules, user, role))) others.push(user.id)
  }
  return others.length === 0 ? byRole : [...byRole, ...others]
}

/** The active users who hold one of some permissions of a channel. */
const gatherHolders = (rules: Rules, channel: ChannelRecord, names: PermissionNames): ReadonlyArray<UserId> => [
  ...new Set(names.flatMap((name) => holdersOfOne(rules, channel, name))),
]

/** As gatherHolders, computed once for all channels with the same permissions. */
const holdersOf = (rules: Rules, channel: ChannelRecord, names: PermissionNames): ReadonlyArray<UserId> => {
  const key = JSON.stringify(names.map((name) => [name, channel.permissions[name]]))
  return keptBy(rules, key, () => gatherHolders(rules, channel, names))
}

/** The users who see a private channel only by a permission: neither subscribers nor administrators. */
const knowByGroup = (rules: Rules, channel: ChannelRecord): ReadonlyArray<UserId> =>
  channel.is_private
    ? holdersOf(rules, channel, visibilityPermissions).filter((id) => {
        const user = rules.users.get(id)
        return !rules.isSubscribed(channel.id, id) && user !== undefined && !isAdministrator(user)
      })
    : []

/**
 * The audience of a row about a channel: all who may know of it, without `except`, and with those who are about to see
 * it. Users who see it by a permission are listed by id, because nothing records who held a permission at a position.
 */
export const channelAudience = (
  rules: Rules,
  channel: ChannelRecord,
  { also = [], except = [] }: { readonly also?: ReadonlyArray<UserId>; readonly except?: ReadonlyArray<UserId> } = {},
): Audience =>
  toChannel(channel.id, privacyAtRow(channel), {
    also: [...new Set([...knowByGroup(rules, channel), ...also])],
    except,
  })

export const subscriberAudience = (channel: ChannelRecord): Audience => toSubscribers(channel.id, privacyAtRow(channel))

/** The active users who read a private channel with a shared history only by a group: they are not subscribed. */
export const readByGroup = (rules: Rules, channel: ChannelRecord): ReadonlyArray<UserId> =>
  channel.is_private && channel.history_shared
    ? holdersOf(rules, channel, contentPermissions).filter((id) => !rules.isSubscribed(channel.id, id))
    : []

/** The same as SQL functions take it that look for others who hold messages (reads_held_v1); nothing for most channels. */
export const groupReaders = (rules: Rules, channel: ChannelRecord) => {
  const readers = readByGroup(rules, channel)
  return readers.length === 0 ? {} : { readers }
}

/**
 * The audience of a row about messages of the channel, which came into it from the position `since` to `through`. Those
 * who read it by a group are listed by id, as above, if they hold one of them.
 */
export const holderAudience = (
  rules: Rules & HoldsBetween,
  channel: ChannelRecord,
  since: number,
  through = since,
): Audience => {
  const also = readByGroup(rules, channel).filter((id) => rules.heldBetween(channel.id, id, since, through))
  const audience = toHolders(channel.id, since, privacyAtRow(channel))
  return also.length === 0 ? audience : { ...audience, also }
}

/** All active users who may know of the channel. */
export const viewersOf = (rules: Rules, channel: ChannelRecord): UserSet =>
  userSet(
    [...rules.users.values()]
      .filter((user) => rules.isActive(user.id) && mayKnowOf(rules, user, channel))
      .map((user) => user.id),
  )

/** The mark of a row about an archived channel. */
export const archivedMark = ({ is_archived }: ChannelRecord): { readonly is_archived?: true } =>
  is_archived ? { is_archived } : {}

/** The rows for users who newly see a channel and are not subscribed: its record, then its subscribers. */
const showRows = (channel: ChannelRecord, users: ReadonlyArray<UserId>): ReadonlyArray<NewRow> => {
  if (users.length === 0) return []
  const audience = toUsers(users)
  return [
    streamRows.tell({ op: "create", channel, subscriber_count: 0 }, audience),
    subscriptionRows.tell(
      { op: "peer_add", channel_id: channel.id, user_ids: "all", ...archivedMark(channel) },
      audience,
    ),
  ]
}

/** The row for users who no longer see these channels. */
const hideRow = (channels: ReadonlyArray<ChannelRecord>, users: ReadonlyArray<UserId>): NewRow => {
  const archived_ids = channels.filter((channel) => channel.is_archived).map(({ id }) => id)
  return streamRows.tell(
    {
      op: "delete",
      channel_ids: channels.map(({ id }) => id),
      ...(archived_ids.length === 0 ? {} : { archived_ids }),
    },
    toUsers(users),
  )
}

interface VisibilityDifference {
  readonly channel: ChannelRecord
  readonly shown: ReadonlyArray<UserId>
  readonly hidden: ReadonlyArray<UserId>
}

const difference = (
  before: Rules,
  after: Rules,
  channel: ChannelRecord,
  people: ReadonlyArray<UserRecord>,
): VisibilityDifference => {
  const changed = after.channels.get(channel.id) ?? channel
  const shown: Array<UserId> = []
  const hidden: Array<UserId> = []
  for (const user of people) {
    if (!after.isActive(user.id)) continue
    const was = before.users.get(user.id) ?? user
    const sees = mayKnowOf(after, user, changed)
    if (sees === mayKnowOf(before, was, channel)) continue
    if (sees) shown.push(user.id)
    else hidden.push(user.id)
  }
  return { channel: changed, shown, hidden }
}

/**
 * The rows that tell whom a change shows and from whom it hides these channels; subscribers see them before and after.
 * `among`: the users whom the change can concern.
 */
export const visibilityChangeRows = (
  before: Rules,
  after: Rules,
  channels: Iterable<ChannelRecord>,
  among: Iterable<UserRecord> = after.users.values(),
): ReadonlyArray<NewRow> => {
  const [people, touched] = [[...among], [...channels]]
  if (touched.length > 1 && touched.length * people.length > mostAsked)
    return [endQueuesRow(people.map(({ id }) => id))]
  const differences = touched
    .map((channel) => difference(before, after, channel, people))
    .filter(({ shown, hidden }) => shown.length + hidden.length > 0)
  if (differences.length > mostTold)
    return [endQueuesRow([...new Set(differences.flatMap(({ shown, hidden }) => [...shown, ...hidden]))])]
  return differences.flatMap(({ channel, shown, hidden }) => [
    ...showRows(channel, shown),
    ...(hidden.length === 0 ? [] : [hideRow([channel], hidden)]),
  ])
}

/** The private channels that one of these groups has a permission to see. */
export const channelsSeenBy = (rules: Rules, groups: ReadonlySet<GroupId>): ReadonlyArray<ChannelRecord> =>
  [...rules.channels.values()].filter(
    (channel) =>
      channel.is_private &&
      visibilityPermissions.some((name) => {
        const setting = channel.permissions[name]
        return typeof setting === "number" ? groups.has(setting) : setting.direct_subgroups.some((id) => groups.has(id))
      }),
  )

/** The rows that tell a user which channels a change of their role shows and hides; null if these are too many. */
export const personVisibilityRows = (
  rules: Rules,
  before: UserRecord,
  after: UserRecord,
): ReadonlyArray<NewRow> | null => {
  const shown: Array<ChannelRecord> = []
  const hidden: Array<ChannelRecord> = []
  for (const channel of rules.channels.values()) {
    const sees = mayKnowOf(rules, after, channel)
    if (sees !== mayKnowOf(rules, before, channel)) (sees ? shown : hidden).push(channel)
  }
  if (shown.length > mostTold) return null
  return [
    ...shown.flatMap((channel) => showRows(channel, [after.id])),
    ...(hidden.length === 0 ? [] : [hideRow(hidden, [after.id])]),
  ]
}
