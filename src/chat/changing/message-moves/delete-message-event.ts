/**
 * The event of messages that its receivers cannot read any more. Each is told of those that they held. Older clients
 * get an event for each message.
 */
import * as Schema from "effect/Schema"
import type { Receiver } from "../../../events/encode.ts"
import type { LogRow } from "../../../events/event.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { type Past, shownKind } from "../../ground/kinds/event-kind.ts"
import { asRow, perRow } from "../../ground/kinds/event-shape.ts"
import { heldOf, partlyHolding, partOf } from "../../ground/kinds/named-messages.ts"
import { showTopic } from "../../ground/realm/values.ts"
import { Id, plainEvent, SortedIds } from "../../ground/wire/wire-values.ts"

const channel = { message_type: Schema.Literal("stream"), stream_id: Id, topic: Schema.String }
const conversation = { message_type: Schema.Literal("private") }

export const deleteMessageKind = shownKind(deleteMessageRows, {
  events: {
    "": Schema.Union([
      plainEvent("delete_message", { ...channel, message_ids: SortedIds }),
      plainEvent("delete_message", { ...channel, message_id: Id }),
      plainEvent("delete_message", { ...conversation, message_ids: SortedIds }),
      plainEvent("delete_message", { ...conversation, message_id: Id }),
    ]),
  },
  sections: ["unread_msgs", "starred_messages", "message"],
  look: ({ subscriptions }: Past, read) => {
    const know = perRow((body) => {
      const payload = read(body.payload)
      return { payload, apart: partlyHolding(payload.messages, subscriptions) }
    })
    const heldBy = (row: LogRow, { user }: Receiver) =>
      heldOf(know(row).payload.messages, user, row.position, subscriptions)
    return {
      personal: true,
      apart: (body) => know(body).apart,
      variant: (body, receiver) => {
        const { bulkDeletion, emptyTopicName } = receiver.rendering
        const ids = heldBy(asRow(body), receiver)
        return `${bulkDeletion} ${emptyTopicName} ${partOf(know(body).payload.messages, ids)}`
      },
      wire: (body, receiver) => {
        const { bulkDeletion, emptyTopicName } = receiver.rendering
        const { messages, topic } = know(body).payload
        const ids = heldBy(asRow(body), receiver)
        const place =
          messages.channel_id === null
            ? { message_type: "private" }
            : { message_type: "stream", stream_id: messages.channel_id, topic: showTopic(topic, emptyTopicName) }
        const common = { type: "delete_message", ...place }
        if (bulkDeletion) return ids.length === 0 ? [] : [{ n: 0, event: { message_ids: ids, ...common } }]
        const held = new Set(ids)
        return messages.ids.flatMap((id, n) => (held.has(id) ? [{ n, event: { message_id: id, ...common } }] : []))
      },
    }
  },
})
