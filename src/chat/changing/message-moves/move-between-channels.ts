/**
 * The rows and audiences of a move to another channel. Whoever had the messages and may read them there is told of it, and
 * goes on to hold them; to the others of that channel they come anew; who may not read them there is told that they are
 * deleted. See docs/reading.md.
 */
import type { Audience, HolderAudience } from "../../../events/audience.ts"
import { UserId } from "../../../ids.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import {
  channelAudience,
  privacyAtRow,
  readByGroup,
  subscriberAudience,
} from "../../ground/permissions/channel-visibility.ts"
import { isOpenTo, mayReadHistory } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { starredRow } from "../../reading/flags/tell-starred-messages.ts"
import type { MessageMove } from "./stored-move.ts"

/**
 * Most people who get rows of their own about messages that they read in their new channel by a permission only, some 250
 * rows each in a commit. With more these are told that they are deleted; they find them when they look there.
 */
const mostGiven = 8

const readsIt = (realm: Realm, channel: ChannelRecord, id: UserId): boolean => {
  const user = realm.users.get(id)
  return realm.isSubscribed(channel.id, id) || (user !== undefined && mayReadHistory(realm, user, channel))
}

/** Who may read all of a channel beside its subscribers, as may_read_v1 takes them. */
export const readersOf = (realm: Realm, channel: ChannelRecord) => {
  if (!channel.history_shared) return { who: "nobody", also: [] }
  if (!channel.is_private) return { who: channel.is_web_public ? "everybody" : "members", also: [] }
  return { who: "nobody", also: readByGroup(realm, channel) }
}

/** The row about another first message of a channel. */
export const firstRow = (realm: Realm, channel: ChannelRecord) =>
  streamRows.change(
    { op: "update", channel_id: channel.id, name: channel.name, property: "first_message_id", value: null },
    channelAudience(realm, channel),
  )

/** Whether some may hold messages of a channel, of those from a position on, but not all. */
export const isPartlyHeld = ({ subscriptions, position }: Realm, { id }: ChannelRecord, low: number): boolean =>
  subscriptions.notThroughout(id, low).some((user) => subscriptions.heldBetween(id, UserId(user), low, position))

/** A move in the realm as it is now, and its channels. */
export interface MoveBetweenChannels {
  readonly realm: Realm
  readonly move: MessageMove
  readonly from: ChannelRecord
  readonly to: ChannelRecord
}

/**
 * Those who hold some of what came into a private channel from a position on, are not in it, and read it by a permission;
 * null: they need not, the channel is public.
 */
export const readersByGroup = (realm: Realm, channel: ChannelRecord, low: number): ReadonlyArray<UserId> | null => {
  if (!channel.is_private) return null
  return readByGroup(realm, channel).filter((id) =>
    realm.subscriptions.heldBetween(channel.id, id, low, realm.position),
  )
}

/** The active users who had some of the messages and are not in the channel to which these go. */
const othersOf = ({ realm, from, to }: MoveBetweenChannels, low: number): ReadonlyArray<UserId> =>
  Array.from(
    // Whether or not they may still read it.
    realm.subscriptions.holders(from.id, low, realm.position, { isPrivate: false, historyShared: from.history_shared }),
    UserId,
  ).filter(
    (id) =>
      realm.isActive(id) && !realm.isSubscribed(to.id, id) && (!from.is_private || realm.isSubscribed(from.id, id)),
  )

/** What is kept of the channel that they leave, for those who may read them where they come to without being there. */
const keepsOf = ({ realm, from, to }: MoveBetweenChannels, others: ReadonlyArray<UserId>) => {
  const isOpen = (id: UserId) => {
    const user = realm.users.get(id)
    return user !== undefined && isOpenTo(user, to)
  }
  return others.some(isOpen)
    ? { was_private: from.is_private, was_shared: from.history_shared, for_guests: to.is_web_public }
    : null
}

/** Whether messages may come to somebody by the move who did not have them all. */
const hasGainers = ({ realm, from, to }: MoveBetweenChannels): boolean =>
  !from.history_shared || realm.subscriptions.subscribers(to.id).some((id) => !realm.isSubscribed(from.id, UserId(id)))

/** The rows and audiences that a move to another channel writes beside the messages' new place. */
export const betweenChannels = (moving: MoveBetweenChannels, low: number) => {
  const { realm, move, from, to } = moving
  const { topic } = move.from
  const others = othersOf(moving, low)
  const fromReaders = readersByGroup(realm, from, low)
  // Where all may read them without being there, those who had them keep them; to others it takes a row of their own.
  const apart = new Set([...(to.is_private ? others : []), ...(fromReaders ?? [])])
  const named = [...apart].filter((id) => !realm.isSubscribed(to.id, id) && readsIt(realm, to, id))
  const given = named.length > mostGiven ? [] : named
  const holders: HolderAudience = { kind: "holders", channel: from.id, since: low, was: privacyAtRow(from) }
  const came = {
    channel_id: from.id,
    is_private: from.is_private,
    is_web_public: from.is_web_public,
    history_shared: from.history_shared,
    ...(fromReaders === null || fromReaders.length === 0 ? {} : { readers: fromReaders }),
    opens_to: to.is_private ? "nobody" : to.is_web_public ? "everybody" : "members",
  } as const
  const audience: Audience = { kind: "moved", from: holders, to: { channel: to.id, was: privacyAtRow(to) } }
  const lost = { ids: [], channel_id: from.id, held_by: from.history_shared ? "subscribers" : "each" } as const
  const gone = { ids: [], channel_id: to.id, held_by: "each", came } as const
  const isLost = (id: UserId) => !realm.isSubscribed(to.id, id) && !given.includes(id)
  return {
    held_by: "receivers",
    // An event of what they had, and one of what comes to them.
    width: 2,
    came: { came },
    audience,
    further: {
      to_channel: to.id,
      readers: readersOf(realm, to),
      from_readers: fromReaders,
      given,
      keeps: keepsOf(moving, others),
      is_partly_held: isPartlyHeld(realm, from, low),
      has_losers: others.some((id) => !readsIt(realm, to, id) || to.is_private),
      lost_row: deleteMessageRows.change(
        { messages: lost, topic },
        { ...audience, lost: true, also: (fromReaders ?? []).filter(isLost) },
      ),
      gone_row:
        given.length > 0 || hasGainers(moving)
          ? deleteMessageRows.change(
              { messages: gone, topic, to_topic: move.to.topic },
              { ...subscriberAudience(to), also: given },
            )
          : null,
      star_row: starredRow,
      from_row: firstRow(realm, from),
      to_row: firstRow(realm, to),
    },
  } as const
}
