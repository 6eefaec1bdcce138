/** Which messages an event of a move or a deletion is about, and where they are. */
import type { Api } from "../../client/index.ts"
import type { Conversation } from "./model.ts"

/** Where the messages are now; null where they stay. */
export const movedTo = (event: Api.UpdateMessageEvent): Conversation | null => {
  const { stream_id, new_stream_id, subject, orig_subject } = event
  if (stream_id === undefined || (subject === undefined && new_stream_id === undefined)) return null
  return { kind: "topic", channel: new_stream_id ?? stream_id, topic: subject ?? orig_subject ?? "" }
}

export const deletedBy = (event: Api.DeleteMessageEvent): ReadonlyArray<number> =>
  "message_ids" in event ? event.message_ids : [event.message_id]
