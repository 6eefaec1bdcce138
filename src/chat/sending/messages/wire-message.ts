/**
 * Makes the message record that clients read. GET /messages and the message event both use it, so that they always
 * agree.
 */
import * as Schema from "effect/Schema"
import type { ClientRendering } from "../../../events/encode.ts"
import { idSchemas } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { avatarOf, type FaceRealm } from "../../ground/faces/face-urls.ts"
import { showTopic, unixSeconds } from "../../ground/realm/domain-values.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { MessageMarks } from "./message-marks.ts"
import { findWidget, widgetMessageType } from "./widgets.ts"

const Person = Schema.Struct({ id: idSchemas.user, email: Schema.String, full_name: Schema.String })

/** The payload of a message's row: everything but the content. */
export const MessagePayload = Schema.Struct({
  sender: Schema.Struct({
    id: idSchemas.user,
    email: Schema.String,
    full_name: Schema.String,
    avatar_version: Schema.Number,
    /** The token of the uploaded picture; absent: there was none. */
    avatar: Schema.optionalKey(Schema.String),
  }),
  client: Schema.String,
  read_by_sender: Schema.Boolean,
  /** Channel messages only. */
  channel: Schema.optionalKey(
    Schema.Struct({
      id: idSchemas.channel,
      name: Schema.String,
      topic: Schema.String,
      /** The links in the topic; absent where there are none. */
      topic_links: Schema.optionalKey(Schema.Array(Schema.Struct({ text: Schema.String, url: Schema.String }))),
    }),
  ),
  /** Direct messages only: the participants, and the id of their conversation, which the commit fills in. */
  people: Schema.optionalKey(Schema.Array(Person)),
  conversation_id: Schema.optionalKey(Schema.Number),
  /** The widget that the parameter `widget_content` made of it; one that the content makes is not repeated here. */
  widget: Schema.optionalKey(Schema.String),
  /** Absent where the message marks nobody. */
  marks: Schema.optionalKey(MessageMarks),
})
export type MessagePayload = typeof MessagePayload.Type

/** The sender as a message's row names them. `email`: the address by which its readers know them. */
export const senderOf = (
  { id, full_name, avatar_version, avatar }: UserRecord,
  email: string,
): MessagePayload["sender"] => ({ id, email, full_name, avatar_version, ...(avatar === null ? {} : { avatar }) })

/** The part of what a client asked for that the bytes of a message depend on. */
export type MessageRendering = Pick<ClientRendering, "rendered" | "gravatar" | "emptyTopicName">

/** A different number for each form that a message may have; short, because it is made for many receivers. */
export const formOf = ({ rendered, gravatar, emptyTopicName }: MessageRendering): number =>
  (rendered ? 4 : 0) + (gravatar ? 2 : 0) + (emptyTopicName ? 1 : 0)

/** The `recipient_id` of a channel is even, that of a conversation odd. */
const channelRecipient = (channel: number): number => channel * 2
const conversationRecipient = (conversation: number): number => conversation * 2 + 1

/** The submessages that come with a message. What was added later, only requests for the message have. */
const firstSubmessages = (id: number, { sender, widget }: MessagePayload, raw: string): ReadonlyArray<JsonObject> => {
  const content = widget ?? findWidget(raw)
  return content === undefined
    ? []
    : [{ id, message_id: id, sender_id: sender.id, msg_type: widgetMessageType, content }]
}

export const wireMessage = (
  realm: FaceRealm,
  id: number,
  at: number,
  payload: MessagePayload,
  content: { readonly raw: string; readonly rendered: string },
  rendering: MessageRendering,
): JsonObject => {
  const { sender, channel, people } = payload
  return {
    id,
    sender_id: sender.id,
    sender_email: sender.email,
    sender_full_name: sender.full_name,
    sender_realm_str: "",
    avatar_url: avatarOf(realm, sender, rendering.gravatar),
    client: payload.client,
    timestamp: unixSeconds(at),
    content: rendering.rendered ? content.rendered : content.raw,
    content_type: rendering.rendered ? "text/html" : "text/x-markdown",
    is_me_message: content.raw.startsWith("/me "),
    reactions: [],
    submessages: firstSubmessages(id, payload, content.raw),
    topic_links: channel?.topic_links ?? [],
    ...(channel === undefined
      ? {
          type: "private",
          recipient_id: conversationRecipient(payload.conversation_id ?? id),
          display_recipient: (people ?? []).map((person) => ({ is_mirror_dummy: false, ...person })),
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
