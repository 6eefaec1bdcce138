/**
 * The steps of a move, some messages of a topic at a time (chat/ground/bulk). What is moved are the messages that stood in the
 * topic when the request was judged: those with ids below `end`. What is sent there later stays. A message that has left the
 * topic when its turn comes is left out; one that came into it from elsewhere, between others, goes with them.
 */
import type { NewCalls, NewRow } from "../../../events/step.ts"
import { MessageId, type UserId } from "../../../ids.ts"
import { bulkKind } from "../../ground/bulk/bulk-kind.ts"
import { type UpdateMessagePayload, updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { topicForms } from "../../ground/kinds/user-topic-row.ts"
import { holderAudience } from "../../ground/permissions/channel-visibility.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { mostShownEdits } from "../../reading/history/walk/message-size-store.ts"
import type { FileLink } from "../../sending/messages/file-links.ts"
import type { MessageMarks } from "../../sending/messages/message-marks.ts"
import type { ContentKinds } from "../../text/markdown/content-kinds.ts"
import { topicLinks } from "../../text/markdown/topic-links.ts"
import {
  betweenChannels,
  isPartlyHeld,
  type MoveBetweenChannels,
  readersByGroup,
  readersOf,
} from "./move-between-channels.ts"
import { type MessageMove, moveOf, readStoredMove } from "./stored-move.ts"

/** Messages of one commit, which holds the log's lock for 9 to 15 ms in the embedded database, 5 to 8 in PostgreSQL. */
export const partSize = 250

/**
 * Time that the lock stays free after a part, as a share of the time that the part took: others' sends, which are one
 * commit, take less than that (benchmark `stored-move`).
 */
const restShare = 0.3

/** Most subscribers for whom a later part finds out who has its message unread; with more, its event calls it read for all. */
const mostFlags = 200

/** Another content for one message, as change_content_v2 takes it, and its files as relink_files_v1 does. */
export interface NewContent {
  readonly content: NonNullable<UpdateMessagePayload["content"]>
  /** The users whom it marks, but for those whom it names. */
  readonly marks: Omit<MessageMarks, "mentioned">
  readonly named: ReadonlyArray<UserId>
  /** The users who were found to hold the message by a row of their own. */
  readonly others: ReadonlyArray<UserId>
  readonly parts: ContentKinds
  readonly files: ReadonlyArray<FileLink>
  readonly file_row: NewRow
}

/** Users whose policies for the topic go with it in one commit: each takes two rows, some with all that they have muted. */
const policiesAtOnce = 25

/** The parts of a move: those of the messages, the last of them with the first policies, and those of further policies. */
export const countParts = ({ parts, policies }: MessageMove): number =>
  parts.bounds.length + Math.max(0, Math.ceil(policies / policiesAtOnce) - 1)

/** The step that moves policies; none where more messages are to be moved. */
const policySteps = ({ realm, move, from, to }: MoveBetweenChannels, part: number): ReadonlyArray<NewCalls> => {
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
const boundOf = ({ first }: MessageMove["parts"], part: number): number =>
  part === 0 ? first : part <= first ? part - 1 : part

/** The step that moves the messages of one part. */
const messageSteps = (moving: MoveBetweenChannels, part: number, edit: NewContent | null): ReadonlyArray<NewCalls> => {
  const { realm, move, from, to } = moving
  const { what, parts } = move
  const at = boundOf(parts, part)
  const low = parts.bounds[at] ?? parts.end
  const moved =
    to === from
      ? ({
          held_by: from.history_shared ? "subscribers" : "each",
          came: {},
          width: 1,
          audience: holderAudience(realm, from, low, realm.position),
          further: { from_readers: readersByGroup(realm, from, low), is_partly_held: isPartlyHeld(realm, from, low) },
        } as const)
      : betweenChannels(moving, low)
  const payload = {
    user_id: move.by,
    message_id: MessageId(0),
    messages: { channel_id: to.id, held_by: moved.held_by, ids: [], ...moved.came },
    flags: { since: 0 },
    channel: { id: from.id, name: from.name },
    topic: move.from.topic,
    ...(edit === null ? {} : { content: edit.content }),
    moved: {
      propagate_mode: what.mode,
      topic: move.to.topic,
      topic_links: topicLinks(realm, move.to.topic),
      ...(to === from ? {} : { channel_id: to.id, channel_name: to.name }),
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
    row: updateMessageRows.change(payload, moved.audience, { width: moved.width }),
    ...moved.further,
  }
  return edit === null
    ? [{ fn: "move_messages_v2", calls: [call] }]
    : [{ fn: "move_messages_v2", calls: [{ ...call, edit }], answers: true }]
}

/** The steps of one part; empty where a channel is unknown. `edit`: for the message that the request names, in part 0. */
export const moveSteps = (
  realm: Realm,
  move: MessageMove,
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
