/**
 * The steps of the deletion of a topic, some messages at a time (chat/ground/bulk), the newest first: so the channel's first message
 * is another one only at the end. Deleted are the messages that stood in the topic when the request was judged: those with
 * ids below `end`. What is sent there later stays, as does what has left the topic when its turn comes.
 */
import * as Schema from "effect/Schema"
import type { NewCalls } from "../../../events/step.ts"
import { idSchemas } from "../../../ids.ts"
import { bulkKind } from "../../ground/bulk/bulk-kind.ts"
import { linkedFileRow } from "../../ground/kinds/attachment-row.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { groupReaders, holderAudience } from "../../ground/permissions/channel-visibility.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { firstRow } from "../message-moves/move-between-channels.ts"

/**
 * Messages of one commit, which holds the log's lock for some 15 ms: 20,000 messages take 3.5 s in the embedded database and
 * 3.0 s in PostgreSQL, and the sends of others 38 and 36 ms at the 99th percentile meanwhile (benchmark `delete-topic`).
 */
export const partSize = 100

const DeletionArgs = Schema.Struct({
  user_id: idSchemas.user,
  channel_id: idSchemas.channel,
  topic_folded: Schema.String,
  /** The ids with which the parts begin, ascending, and the one before which the last of them ends. */
  bounds: Schema.Array(Schema.Number),
  end: Schema.Number,
  /** Only what the user holds is deleted. */
  is_held_only: Schema.Boolean,
})
export type DeletionArgs = typeof DeletionArgs.Type

/** Which messages of a topic go, as delete_topic_v1 takes it: ids from `low` to before `high`, `most` at most. */
interface TopicDeletionRange {
  readonly topic_folded: string
  readonly low: number
  readonly high: number
  readonly most: number
  /** Only what this user holds. */
  readonly reader?: number | null
  /** Who deletes them, and is told of all; nobody where they are too old. */
  readonly deleter_id?: number
  /** Only what was sent before this time, in milliseconds. */
  readonly sent_before?: number
}

export const topicDeletion = (
  realm: Realm,
  channel: ChannelRecord,
  going: TopicDeletionRange,
): ReadonlyArray<NewCalls> => {
  const messages = {
    channel_id: channel.id,
    held_by: channel.history_shared ? "subscribers" : "each",
    ids: [],
  } as const
  const call = {
    channel_id: channel.id,
    ...going,
    row: deleteMessageRows.change({ messages, topic: "" }, holderAudience(realm, channel, going.low, realm.position)),
    ...groupReaders(realm, channel),
    first_row: firstRow(realm, channel),
    file_row: linkedFileRow,
  }
  return [{ fn: "delete_topic_v1", calls: [call] }]
}

/** The steps of one part; part 0 has the newest messages. */
export const deletionSteps = (realm: Realm, args: DeletionArgs, part: number): ReadonlyArray<NewCalls> => {
  const channel = realm.channels.get(args.channel_id)
  const at = args.bounds.length - 1 - part
  const low = args.bounds[at]
  if (channel === undefined || low === undefined) return []
  return topicDeletion(realm, channel, {
    topic_folded: args.topic_folded,
    low,
    high: args.bounds[at + 1] ?? args.end,
    most: 2 * partSize,
    reader: args.is_held_only ? args.user_id : null,
    deleter_id: args.user_id,
  })
}

/** Deletes the messages of a topic beyond the first part. */
export const deletingTopic = bulkKind("delete_topic", Schema.decodeUnknownSync(DeletionArgs), (realm, args, from) => ({
  steps: deletionSteps(realm, args, from),
  next: from + 1 < args.bounds.length ? from + 1 : null,
}))
