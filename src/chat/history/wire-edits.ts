/** How the edits and moves of messages look where messages are shown (contract 3.1.1). */
import type { JsonObject } from "../../json.ts"
import { showTopic, unixSeconds } from "../realm/values.ts"
import type { StoredEdit } from "./edit-history-store.ts"
import type { StoredMessage } from "./fetch-store.ts"

/** Whether the message may have been changed; one whose topic was only resolved may have been, too. */
export const isChanged = ({ channel_id, edited_at }: StoredMessage): boolean =>
  channel_id !== null || edited_at !== null

export const changeTimes = ({ edited_at, moved_at }: StoredMessage): JsonObject => ({
  ...(edited_at === null ? {} : { last_edit_timestamp: unixSeconds(edited_at) }),
  ...(moved_at === null ? {} : { last_moved_timestamp: unixSeconds(moved_at) }),
})

/** What one change replaced. */
export const replaced = (edit: StoredEdit, emptyTopicName: boolean): JsonObject => ({
  ...(edit.prev_content === null ? {} : { prev_content: edit.prev_content }),
  ...(edit.prev_rendered === null ? {} : { prev_rendered_content: edit.prev_rendered }),
  ...(edit.prev_topic === null ? {} : { prev_topic: showTopic(edit.prev_topic, emptyTopicName) }),
  ...(edit.prev_channel_id === null ? {} : { prev_stream: edit.prev_channel_id }),
  ...(edit.channel_id === null ? {} : { stream: edit.channel_id }),
})

/** By message, the newest first. A message that was not changed is absent. */
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
