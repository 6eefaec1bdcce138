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
import { groupReaders, holderAudience } from "../../ground/permissions/sight.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { firstRow } from "../message-moves/move-between.ts"

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

/** The steps of one part; part 0 has the newest messages. */
export const deletionSteps = (realm: Realm, args: DeletionArgs, part: number): ReadonlyArray<NewCalls> => {
  const channel = realm.channels.get(args.channel_id)
  const at = args.bounds.length - 1 - part
  const low = args.bounds[at]
  if (channel === undefined || low === undefined) return []
  const messages = {
    channel_id: channel.id,
    held_by: channel.history_shared ? "subscribers" : "each",
    ids: [],
  } as const
  const call = {
    channel_id: channel.id,
    topic_folded: args.topic_folded,
    low,
    high: args.bounds[at + 1] ?? args.end,
    most: 2 * partSize,
    reader: args.is_held_only ? args.user_id : null,
    deleter_id: args.user_id,
    row: deleteMessageRows.change({ messages, topic: "" }, holderAudience(realm, channel, low, realm.position)),
    ...groupReaders(realm, channel),
    first_row: firstRow(realm, channel),
    file_row: linkedFileRow,
  }
  return [{ fn: "delete_topic_v1", calls: [call] }]
}

/** Deletes the messages of a topic beyond the first part. */
export const deletingTopic = bulkKind("delete_topic", Schema.decodeUnknownSync(DeletionArgs), (realm, args, from) => ({
  steps: deletionSteps(realm, args, from),
  next: from + 1 < args.bounds.length ? from + 1 : null,
}))
