/**
 * A message as clients read it (contract 3.1.1), from what its row or its event holds. `GET /messages` and the
 * message event go through here, so that both always agree.
 */
import type { Rendering } from "../../events/encode.ts"
import type { JsonObject } from "../../json.ts"
import type { MessagePayload } from "../kinds/payloads.ts"
import { avatarOf } from "../realm/addresses.ts"
import { showTopic, unixSeconds } from "../realm/values.ts"

/** Conversations are told apart from channels by being odd. */
export const channelRecipient = (channel: number): number => channel * 2
export const conversationRecipient = (conversation: number): number => conversation * 2 + 1

export const wireMessage = (
  id: number,
  at: number,
  payload: MessagePayload,
  content: { readonly raw: string; readonly rendered: string },
  rendering: Pick<Rendering, "rendered" | "gravatar" | "emptyTopicName">,
): JsonObject => {
  const { sender, channel, people } = payload
  return {
    id,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.full_name,
    sender_realm_str: "",
    avatar_url: avatarOf(sender, rendering.gravatar),
    client: payload.client,
    timestamp: unixSeconds(at),
    content: rendering.rendered ? content.rendered : content.raw,
    content_type: rendering.rendered ? "text/html" : "text/x-markdown",
    is_me_message: content.raw.startsWith("/me "),
    reactions: [],
    submessages: [],
    topic_links: [],
    ...(channel === undefined
      ? {
          type: "private",
          recipient_id: conversationRecipient(payload.conversation_id ?? id),
          display_recipient: (people ?? []).map((person) => ({ ...person, is_mirror_dummy: false })),
          subject: "",
        }
      : {
          type: "stream",
          recipient_id: channelRecipient(channel.id),
          stream_id: channel.id,
          display_recipient: channel.name,
          subject: showTopic(channel.topic, rendering.emptyTopicName),
        }),
  }
}
