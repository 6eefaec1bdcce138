/** How the edits and moves of messages look where messages are shown. */
import type { ChannelId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { readerKnowsOf, readerReadsMessage } from "../../ground/permissions/permissions.ts"
import { showTopic, unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import type { StoredEdit } from "./edit-history-store.ts"
import type { StoredMessage } from "./messages-by-id-store.ts"

export const changeTimes = ({ edited_at, moved_at }: StoredMessage): JsonObject => ({
  ...(edited_at === null ? {} : { last_edit_timestamp: unixSeconds(edited_at) }),
  ...(moved_at === null ? {} : { last_moved_timestamp: unixSeconds(moved_at) }),
})

/** The values that one change replaced. */
export const replaced = (edit: StoredEdit, emptyTopicName: boolean): JsonObject => ({
  ...(edit.prev_content === null ? {} : { prev_content: edit.prev_content }),
  ...(edit.prev_rendered === null ? {} : { prev_rendered_content: edit.prev_rendered }),
  ...(edit.prev_topic === null ? {} : { prev_topic: showTopic(edit.prev_topic, emptyTopicName) }),
  ...(edit.prev_channel_id === null ? {} : { prev_stream: edit.prev_channel_id }),
  ...(edit.channel_id === null ? {} : { stream: edit.channel_id }),
})

/** The sight that a reader has of a channel in which a message was once. */
export interface FormerVisibility {
  readonly knows: (channel: ChannelId) => boolean
  /** Which topics it had there. `since`: the position at which it came; undefined: that is not known. */
  readonly reads: (channel: ChannelId, since: number | undefined) => boolean
}

export const formerVisibilityOf = (realm: Realm, reader: UserRecord | null): FormerVisibility => ({
  knows: (id) => {
    const channel = realm.channels.get(id)
    return channel !== undefined && readerKnowsOf(realm, reader, channel)
  },
  reads: (id, since) => {
    const channel = realm.channels.get(id)
    if (channel === undefined) return false
    // A reader who had received it there was told its topics, whether or not they may read the rest of the channel: but for
    // a private one that they are out of.
    const had = reader !== null && since !== undefined && realm.subscriptions.subscribedAt(id, reader.id, since)
    return readerReadsMessage(realm, reader, channel, had)
  },
})

/**
 * For each change of one message, the newest first, since when the message was in the channel in which it was before;
 * undefined where that is not known, because there may be older changes than these.
 */
const arrivals = (edits: ReadonlyArray<StoredEdit>, most: number): ReadonlyArray<number | undefined> => {
  let since = edits.length < most ? edits[0]?.message_id : undefined
  const found = edits.toReversed().map((edit) => {
    const before = since
    if (edit.channel_id !== null) since = edit.position
    return before
  })
  return found.reverse()
}

/**
 * The changes of one message, the newest first, without the topics and ids of channels that the reader may not see: it may
 * have been in a private one for a while. `now`: where it is, which they read; `most`: how many changes were asked for. A
 * change of which nothing is left is left out.
 */
export const visibleEdits = (
  edits: ReadonlyArray<StoredEdit>,
  now: ChannelId | null,
  { knows, reads }: FormerVisibility,
  most: number,
): ReadonlyArray<StoredEdit> => {
  const since = arrivals(edits, most)
  let at = now
  return edits.flatMap((edit, n) => {
    const after = at
    const before = edit.prev_channel_id ?? at
    at = before
    const isKnown = (id: ChannelId | null) => id === null || id === now || knows(id)
    const isRead = (id: ChannelId | null, from: number | undefined) => id === null || id === now || reads(id, from)
    const shown: StoredEdit = {
      ...edit,
      prev_topic: isRead(before, since[n]) ? edit.prev_topic : null,
      topic: isRead(after, edit.channel_id === null ? since[n] : edit.position) ? edit.topic : null,
      prev_channel_id: isKnown(before) ? edit.prev_channel_id : null,
      channel_id: isKnown(after) ? edit.channel_id : null,
    }
    const { prev_content, prev_topic, topic, prev_channel_id, channel_id } = shown
    return [prev_content, prev_topic, topic, prev_channel_id, channel_id].every((each) => each === null) ? [] : [shown]
  })
}

/** The changes of several messages: by message, the newest first; one that was not changed is absent. */
export const wireEdits = (
  edits: ReadonlyArray<StoredEdit>,
  emptyTopicName: boolean,
): ReadonlyMap<number, ReadonlyArray<JsonObject>> => {
  const found = new Map<number, Array<JsonObject>>()
  for (const edit of edits) {
    const list = found.get(edit.message_id) ?? []
    found.set(edit.message_id, list)
    const topic = edit.topic === null ? {} : { topic: showTopic(edit.topic, emptyTopicName) }
    list.push({ user_id: edit.editor_id, timestamp: unixSeconds(edit.at), ...replaced(edit, emptyTopicName), ...topic })
  }
  return found
}
