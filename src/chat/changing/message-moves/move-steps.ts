/**
 * The steps of a move, some messages of a topic at a time (chat/ground/bulk). What is moved are the messages that stood in the
 * topic when the request was judged: those with ids below `end`. What is sent there later stays. A message that has left the
 * topic when its turn comes is left out; one that came into it from elsewhere, between others, goes with them.
 */
import type { Audience } from "../../../events/audience.ts"
import { toUsers } from "../../../events/audience.ts"
import type { NewCalls, NewRow } from "../../../events/step.ts"
import { MessageId, UserId } from "../../../ids.ts"
import { bulkKind } from "../../ground/bulk/bulk-kind.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import { type UpdateMessagePayload, updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { topicForms } from "../../ground/kinds/user-topic-row.ts"
import { contentPermissions, mayReadHistory } from "../../ground/permissions/permissions.ts"
import { channelAudience, holderAudience, readByGroup, subscriberAudience } from "../../ground/permissions/sight.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { fold, systemGroups } from "../../ground/realm/values.ts"
import { mostShownEdits } from "../../reading/history/walk/message-size-store.ts"
import type { FileLink } from "../../sending/messages/file-links.ts"
import type { Marks } from "../../sending/messages/marks.ts"
import type { Parts } from "../../text/markdown/parts.ts"
import { topicLinks } from "../../text/markdown/topic-links.ts"
import { type Move, moveOf, readStoredMove } from "./move.ts"

/** Messages of one commit, which holds the log's lock for 9 to 15 ms in the embedded database, 5 to 8 in PostgreSQL. */
export const partSize = 250

/**
 * Time that the lock stays free after a part, as a share of the time that the part took: others' sends, which are one
 * commit, take less than that (benchmark `move`).
 */
const restShare = 0.3

/** Most subscribers for whom a later part finds out who has its message unread; with more, its event calls it read for all. */
const mostFlags = 200

const readsIt = (realm: Realm, channel: ChannelRecord, id: UserId): boolean => {
  const user = realm.users.get(id)
  return realm.isSubscribed(channel.id, id) || (user !== undefined && mayReadHistory(realm, user, channel))
}

/** Another content for one message, as change_content_v2 takes it, and its files as relink_files_v1 does. */
export interface NewContent {
  readonly content: NonNullable<UpdateMessagePayload["content"]>
  /** The users whom it marks, but for those whom it names. */
  readonly marks: Omit<Marks, "mentioned">
  readonly named: ReadonlyArray<UserId>
  /** The users who were found to hold the message by a row of their own. */
  readonly others: ReadonlyArray<UserId>
  readonly parts: Parts
  readonly files: ReadonlyArray<FileLink>
  readonly file_row: NewRow
}

/** The users who may read all of a channel, beside its subscribers, as may_read_v1 takes them. */
const readersOf = (realm: Realm, channel: ChannelRecord) => {
  if (!channel.history_shared) return { who: "nobody", also: [] }
  if (!channel.is_private) return { who: channel.is_web_public ? "everybody" : "members", also: [] }
  const nobody = contentPermissions.every((name) => channel.permissions[name] === systemGroups["role:nobody"])
  const also = nobody ? [] : [...realm.users.keys()].filter((id) => readsIt(realm, channel, id))
  return { who: "nobody", also }
}

/** The row about another first message of a channel. */
export const firstRow = (realm: Realm, channel: ChannelRecord) =>
  streamRows.change(
    { op: "update", channel_id: channel.id, name: channel.name, property: "first_message_id", value: null },
    channelAudience(realm, channel),
  )

const withOthers = (audience: Audience, also: ReadonlyArray<UserId>): Audience =>
  also.length === 0 ? audience : { ...audience, also }

/**
 * The users who hear of a move to another channel, whose event names the old channel and topic: if the old channel's
 * history is shared, its subscribers and those of the new one who could read that history. `had`: users who may have
 * had one of the messages; those who did, which the commit knows, hear of it, too. For others these are messages that
 * they never had: they find them when they next read.
 */
const moveAudience = (realm: Realm, from: ChannelRecord, to: ChannelRecord, before: ReadonlyArray<UserId>) => {
  const subscribers = Array.from(realm.subscriptions.subscribers(to.id), UserId)
  const readers = from.history_shared ? subscribers.filter((id) => readsIt(realm, from, id)) : []
  const reading = before.filter((id) => !realm.isSubscribed(to.id, id) && readsIt(realm, to, id))
  const staying = from.history_shared ? reading.filter((id) => realm.isSubscribed(from.id, id)) : []
  const told = new Set([...readers, ...staying])
  const had = before.filter((id) => !told.has(id) && readsIt(realm, to, id))
  // By name in a private channel's case even if all may know: somebody may subscribe to the new one before the commit.
  const audience: Audience =
    from.is_private || readers.length < subscribers.length
      ? toUsers([...readers, ...staying])
      : withOthers(subscriberAudience(to), staying)
  return { audience, had }
}

/** A move in the realm as it is now, and its channels. */
interface Moving {
  readonly realm: Realm
  readonly move: Move
  readonly from: ChannelRecord
  readonly to: ChannelRecord
}

/** The rows and audiences that a move to another channel writes beside the messages' new place. */
const betweenChannels = ({ realm, move, from, to }: Moving) => {
  const { topic } = move.from
  const held_by = from.history_shared ? "subscribers" : "each"
  const before = Array.from(
    realm.subscriptions.holders(from.id, move.parts.bounds[0] ?? 0, realm.position, {
      isPrivate: from.is_private,
      historyShared: true,
    }),
    UserId,
  )
    .concat(readByGroup(realm, from))
    .filter((id) => realm.isActive(id))
  const lost = before.filter((id) => !readsIt(realm, to, id))
  const { audience, had } = moveAudience(realm, from, to, before)
  // Some of them may have left before the moved messages came there, and never held them.
  const strangers = before.filter((id) => readsIt(realm, to, id) && !readsIt(realm, from, id))
  return {
    held_by: "receivers",
    was: strangers.length === 0 ? {} : { was: { channel_id: from.id, users: strangers } },
    audience,
    further: {
      to_channel: to.id,
      readers: readersOf(realm, to),
      had,
      is_partly_held: strangers.length > 0,
      lost_row: deleteMessageRows.change({ messages: { channel_id: from.id, held_by, ids: [] }, topic }, toUsers(lost)),
      from_row: firstRow(realm, from),
      to_row: firstRow(realm, to),
    },
  } as const
}

/** Users whose policies for the topic go with it in one commit: each takes two rows, some with all that they have muted. */
const policiesAtOnce = 25

/** The parts of a move: those of the messages, the last of them with the first policies, and those of further policies. */
export const countParts = ({ parts, policies }: Move): number =>
  parts.bounds.length + Math.max(0, Math.ceil(policies / policiesAtOnce) - 1)

/** The step that moves policies; none where more messages are to be moved. */
const policySteps = ({ realm, move, from, to }: Moving, part: number): ReadonlyArray<NewCalls> => {
  if (part + 1 < move.parts.bounds.length) return []
  const call = {
    channel_id: from.id,
    topic_folded: fold(move.from.topic),
    to_channel: to.id,
    to_topic: move.to.topic,
    to_folded: fold(move.to.topic),
    readers: readersOf(realm, to),
    is_whole: move.what.mode === "change_all" && !move.from.isHeldOnly,
    most: policiesAtOnce,
    forms: topicForms,
    ...(part === 0 || move.judgedAt === null ? {} : { before: move.judgedAt + 1 }),
  }
  return [{ fn: "move_policies_v3", calls: [call] }]
}

/** Which of the bounds a part begins with, of as many parts as there are bounds. */
const boundOf = ({ first }: Move["parts"], part: number): number =>
  part === 0 ? first : part <= first ? part - 1 : part

/** Whether some may hold messages of a channel, of those from a position on, but not all. */
const isPartlyHeld = ({ subscriptions, position }: Realm, { id }: ChannelRecord, low: number): boolean =>
  subscriptions.notThroughout(id, low).some((user) => subscriptions.heldBetween(id, UserId(user), low, position))

/** The step that moves the messages of one part. */
const messageSteps = (moving: Moving, part: number, edit: NewContent | null): ReadonlyArray<NewCalls> => {
  const { realm, move, from, to } = moving
  const { what, parts } = move
  const at = boundOf(parts, part)
  const low = parts.bounds[at] ?? parts.end
  const moved =
    to === from
      ? ({
          held_by: from.history_shared ? "subscribers" : "each",
          was: {},
          audience: holderAudience(realm, from, low, realm.position),
          further: { is_partly_held: isPartlyHeld(realm, from, low) },
        } as const)
      : betweenChannels(moving)
  const payload = {
    user_id: move.by,
    message_id: MessageId(0),
    messages: { channel_id: to.id, held_by: moved.held_by, ids: [], ...moved.was },
    flags: { since: 0 },
    channel: { id: from.id, name: from.name },
    topic: move.from.topic,
    ...(edit === null ? {} : { content: edit.content }),
    moved: {
      propagate_mode: what.mode,
      topic: move.to.topic,
      topic_links: topicLinks(realm, move.to.topic),
      ...(to === from ? {} : { channel_id: to.id }),
    },
  }
  const call = {
    channel_id: from.id,
    topic_folded: fold(move.from.topic),
    low,
    high: parts.bounds[at + 1] ?? parts.end,
    most: 2 * partSize,
    reader: move.from.isHeldOnly ? move.by : null,
    message_id: what.message,
    most_flags: mostFlags,
    topic: move.to.topic,
    to_folded: fold(move.to.topic),
    is_move: !move.isResolution,
    editor_id: move.by,
    most_edits: mostShownEdits,
    row: updateMessageRows.change(payload, moved.audience),
    ...(from.is_private ? { group_readers: readByGroup(realm, from) } : {}),
    ...moved.further,
  }
  return edit === null
    ? [{ fn: "move_messages_v1", calls: [call] }]
    : [{ fn: "move_messages_v1", calls: [{ ...call, edit }], answers: true }]
}

/** The steps of one part; empty where a channel is unknown. `edit`: for the message that the request names, in part 0. */
export const moveSteps = (
  realm: Realm,
  move: Move,
  part: number,
  edit: NewContent | null = null,
): ReadonlyArray<NewCalls> => {
  const from = realm.channels.get(move.from.channel)
  const to = move.to.channel === null ? from : realm.channels.get(move.to.channel)
  if (from === undefined || to === undefined) return []
  const moving = { realm, move, from, to }
  const policies = policySteps(moving, part)
  return part < move.parts.bounds.length ? [...messageSteps(moving, part, edit), ...policies] : policies
}

/** Moves the messages of a topic beyond the first part. */
export const movingMessages = bulkKind(
  "move_messages",
  readStoredMove,
  (realm, stored, part) => {
    const move = moveOf(stored)
    return { steps: moveSteps(realm, move, part), next: part + 1 < countParts(move) ? part + 1 : null }
  },
  restShare,
)
