/**
 * The rows that a change of subscriptions writes, in the order in which clients expect the events, with their
 * audiences. They are built from the projection while the command is judged.
 */
import { toRealm, toUsers } from "../../../events/audience.ts"
import type { CommandStep, NewRow } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import { peersWidth, subscriptionRows } from "../../ground/kinds/subscription-row.ts"
import { archivedMark, channelAudience } from "../../ground/permissions/channel-visibility.ts"
import { endOtherQueues, groupChannelsByViewers } from "../../ground/permissions/group-channels-by-viewers.ts"
import { mayKnowOf, mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type Rules, withChangedRules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord, SubscriptionSettings, UserRecord } from "../../ground/realm/records.ts"
import { inheritance } from "../../ground/realm/subscription-settings.ts"
import { readOnLeaving } from "../../reading/flags/read-on-leaving.ts"
import { tellStarred } from "../../reading/flags/tell-starred-messages.ts"

const palette =
  "#76ce90 #fae589 #a6c7e5 #e79ab5 #bfd56f #f4ae55 #b0a5fd #addfe5 #f5ce6e #c2726a #94c849 #bd86e5 #ee7e4a #a6dcbf #95a5fd #53a063 #9987e1 #e4523d #c2c2c2 #4f8de4 #c6a8ad #e7cc4d #c8bebf #a47462".split(
    " ",
  )

/** The first colour that no channel of the user has; if all are taken, one of them again. */
const freeColor = (taken: ReadonlyArray<string>, channel: ChannelRecord): string =>
  palette.find((color) => !taken.includes(color)) ?? palette[channel.id % palette.length] ?? "#c2c2c2"

/** A new channel. The audience is everybody who may see it, its first subscribers included. */
export const createRow = (rules: Rules, channel: ChannelRecord, subscribers: ReadonlyArray<UserRecord>): NewRow =>
  streamRows.change(
    { op: "create", channel, subscriber_count: 0 },
    channelAudience(rules, channel, { also: subscribers.map((user) => user.id) }),
  )

const settingsFor = (
  realm: Realm,
  user: UserRecord,
  channel: ChannelRecord,
  color: string | undefined,
  givenNow: ReadonlyArray<string>,
): SubscriptionSettings => {
  const id = user.id
  const known = realm.subscriptions.settings(id, channel.id)
  if (known !== undefined) return color === undefined ? known : { ...known, color }
  const taken = [...realm.subscriptions.colorsOf(id), ...givenNow]
  return { color: color ?? freeColor(taken, channel), is_muted: false, pin_to_top: false, notify: {} }
}

/** Colours given earlier in the same command, by user, so that several new channels get different ones. */
export type GivenColors = Map<UserId, Array<string>>

/** Rows for new subscribers of one channel; `isNew`: the same command makes the channel. */
export const addRows = (
  realm: Realm,
  channel: ChannelRecord,
  users: ReadonlyArray<UserRecord>,
  options: { readonly isNew: boolean; readonly color?: string | undefined; readonly given: GivenColors },
): ReadonlyArray<NewRow> => {
  const added = users.map((user) => {
    const given = options.given.get(user.id) ?? []
    const settings = settingsFor(realm, user, channel, options.color, given)
    options.given.set(user.id, [...given, settings.color])
    return { user_id: user.id, settings, ...inheritance(user) }
  })
  const ids = users.map((user) => user.id)
  const strangers = options.isNew ? [] : users.filter((user) => !mayKnowOf(realm, user, channel)).map(({ id }) => id)
  const before = realm.subscriptions.subscribers(channel.id).length
  return [
    ...(strangers.length === 0
      ? []
      : [streamRows.tell({ op: "create", channel, subscriber_count: before }, toUsers(strangers))]),
    subscriptionRows.change({ op: "add", channel, added }, toUsers(ids)),
    peerAdd(realm, channel, ids),
  ]
}

/** The same, and what new subscribers of a private channel had starred there when they were in it before. */
export const addSteps = (
  ...[realm, channel, users, options]: Parameters<typeof addRows>
): ReadonlyArray<CommandStep> => [
  ...addRows(realm, channel, users, options),
  ...(options.isNew
    ? []
    : tellStarred(
        channel,
        users.map(({ id }) => id),
      )),
]

/** Whether the user can no longer see the channel once they are not subscribed. */
const losesVisibility = (rules: Rules, user: UserRecord, channel: ChannelRecord): boolean =>
  !mayKnowOf(withChangedRules(rules, { isSubscribed: () => false }), user, channel)

/** The steps for users who leave one channel. All of its messages are read then, which their clients are told. */
export const removeSteps = (
  rules: Rules,
  channel: ChannelRecord,
  users: ReadonlyArray<UserRecord>,
): ReadonlyArray<CommandStep> => {
  const user_ids = users.map((user) => user.id)
  const after = withChangedRules(rules, { isSubscribed: () => false })
  const readers = users.filter((user) => mayReadHistory(after, user, channel)).map((user) => user.id)
  const blind = users.filter((user) => losesVisibility(rules, user, channel)).map((user) => user.id)
  return [
    subscriptionRows.change({ op: "remove", channel_id: channel.id, name: channel.name, user_ids }, toUsers(user_ids)),
    readOnLeaving(channel.id, user_ids),
    // Of a private channel clients forget everything when they leave it: who may read it all the same has some of it still.
    ...tellStarred(channel, readers),
    ...(blind.length === 0 ? [] : [streamRows.tell({ op: "delete", channel_ids: [channel.id] }, toUsers(blind))]),
    user_ids.length === 1 ? peerRemove(rules, channel, user_ids) : leaveTogether(rules, channel, user_ids, blind),
  ]
}

const peers = (
  op: "peer_add" | "peer_remove",
  rules: Rules,
  channel: ChannelRecord,
  user_ids: ReadonlyArray<UserId>,
): NewRow =>
  subscriptionRows.tell(
    { op, channel_id: channel.id, user_ids, ...archivedMark(channel) },
    channelAudience(rules, channel, { except: user_ids }),
  )

/** Several users leave at once: those who still see the channel are told about each other, not about themselves. */
const leaveTogether = (
  rules: Rules,
  channel: ChannelRecord,
  user_ids: ReadonlyArray<UserId>,
  blind: ReadonlyArray<UserId>,
): NewRow =>
  subscriptionRows.tell(
    { op: "peer_remove", channel_id: channel.id, user_ids },
    channelAudience(rules, channel, { also: user_ids.filter((id) => !blind.includes(id)), except: blind }),
  )

const peerAdd = (rules: Rules, channel: ChannelRecord, ids: ReadonlyArray<UserId>): NewRow =>
  peers("peer_add", rules, channel, ids)
const peerRemove = (rules: Rules, channel: ChannelRecord, ids: ReadonlyArray<UserId>): NewRow =>
  peers("peer_remove", rules, channel, ids)

/**
 * The row by which the others hear that somebody is in these channels now, or not any more; none without channels. One for all
 * of them: whoever registers between two rows would count too many or too few in some. Where it would be too long, the queues
 * of all others end.
 */
export const peerInAll = (
  op: "peer_add" | "peer_remove",
  rules: Rules,
  channels: ReadonlyArray<ChannelRecord>,
  user: UserId,
): ReadonlyArray<NewRow> => {
  if (channels.length === 0) return []
  const places = groupChannelsByViewers(rules, channels)
  if (places === null) return [endOtherQueues(rules, user)]
  const audience = { ...toRealm, except: [user] }
  return [subscriptionRows.tell({ op, user_ids: [user], ...places }, audience, { width: peersWidth })]
}

/** The channels a user is subscribed to now. */
export const channelsOf = (realm: Realm, user: UserId): ReadonlyArray<ChannelRecord> =>
  [...realm.subscriptions.channelsEver(user)]
    .filter((channel) => realm.isSubscribed(channel, user))
    .map((channel) => realm.channels.get(channel))
    .filter((channel) => channel !== undefined)
