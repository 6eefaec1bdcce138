/**
 * The event of messages that its receivers cannot read any more, or that come to them anew by the next row. Each is told of
 * those that they held, or of those that come. Older clients get an event for each message.
 */
import * as Schema from "effect/Schema"
import type { EventReceiver } from "../../../events/encode.ts"
import type { LogRow } from "../../../events/event.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { type RealmHistory, wireKind } from "../../ground/kinds/event-kind.ts"
import { cachedPerEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { isMovedMessages, partlyMoved, sharesOf } from "../../ground/kinds/moved-messages.ts"
import { heldOf, partlyHolding, partOf } from "../../ground/kinds/named-messages.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { Id, plainEvent, SortedIds } from "../../ground/wire/wire-values.ts"

const channel = { message_type: Schema.Literal("stream"), stream_id: Id, topic: Schema.String }
const conversation = { message_type: Schema.Literal("private") }

export const deleteMessageKind = wireKind(deleteMessageRows, {
  events: {
    "": Schema.Union([
      plainEvent("delete_message", { ...channel, message_ids: SortedIds }),
      plainEvent("delete_message", { ...channel, message_id: Id }),
      plainEvent("delete_message", { ...conversation, message_ids: SortedIds }),
      plainEvent("delete_message", { ...conversation, message_id: Id }),
    ]),
  },
  sections: ["unread_msgs", "starred_messages", "message"],
  wireForm: (past: RealmHistory, read) => {
    const know = cachedPerEvent((body) => {
      const payload = read(body.payload)
      const { messages } = payload
      const { position } = requireStoredRow(body)
      const apart = isMovedMessages(messages) ? partlyMoved(messages, position, past) : partlyHolding(messages, past)
      return { payload, apart }
    })

    /** The messages that the receiver is told of, and where they are for them. */
    const copyOf = (row: LogRow, { user }: EventReceiver) => {
      const { messages, topic, to_topic: toTopic = "" } = know(row).payload
      if (!isMovedMessages(messages)) {
        return { ids: heldOf(messages, user, row.position, past), channel: messages.channel_id, topic }
      }
      const { gained: ids, knowsPlace } = sharesOf(messages, user, row.position, past)
      return knowsPlace
        ? { ids, channel: messages.came.channel_id, topic }
        : { ids, channel: messages.channel_id, topic: toTopic }
    }

    return {
      personal: true,
      apart: (body) => know(body).apart,
      variant: (body, receiver) => {
        const { bulkDeletion, emptyTopicName } = receiver.rendering
        const { ids, channel } = copyOf(requireStoredRow(body), receiver)
        return `${bulkDeletion} ${emptyTopicName} ${channel} ${partOf(know(body).payload.messages, ids)}`
      },
      wire: (body, receiver) => {
        const { bulkDeletion, emptyTopicName } = receiver.rendering
        const { messages } = know(body).payload
        const { ids, channel, topic } = copyOf(requireStoredRow(body), receiver)
        const place =
          channel === null
            ? { message_type: "private" }
            : { message_type: "stream", stream_id: channel, topic: showTopic(topic, emptyTopicName) }
        const common = { type: "delete_message", ...place }
        if (bulkDeletion) return ids.length === 0 ? [] : [{ n: 0, event: { message_ids: ids, ...common } }]
        const told = new Set(ids)
        return messages.ids.flatMap((id, n) => (told.has(id) ? [{ n, event: { message_id: id, ...common } }] : []))
      },
    }
  },
})
