/**
 * The event of messages that were edited, rendered anew or moved. Each receiver is told of those that they hold, with
 * their own flags of one of them. Most receivers hold all and have the same flags: they share bytes.
 */
import * as Schema from "effect/Schema"
import type { Receiver } from "../../../events/encode.ts"
import { type LogRow, type UserSet, userSet } from "../../../events/event.ts"
import type { MessageId, UserId } from "../../../ids.ts"
import { type Past, shownKind } from "../../ground/kinds/event-kind.ts"
import { asRow, none, one, perRow } from "../../ground/kinds/event-shape.ts"
import { heldOf, partlyHolding, partOf } from "../../ground/kinds/named-messages.ts"
import { type UpdateMessagePayload, updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { showTopic, unixSeconds } from "../../ground/realm/values.ts"
import { Id, plainEvent, Seconds, SortedIds, Url } from "../../ground/wire/wire-values.ts"
import { Flags } from "../../sending/messages/message-schema.ts"
import { apartBy, flagsOf, type Marked, markedBy, otherOf } from "./told-flags.ts"

const UpdateMessageEvent = plainEvent("update_message", {
  user_id: Schema.NullOr(Id),
  rendering_only: Schema.Boolean,
  edit_timestamp: Seconds,
  message_id: Id,
  message_ids: SortedIds,
  flags: Flags,
  /** Present for a channel's messages only. */
  stream_id: Schema.optionalKey(Id),
  stream_name: Schema.optionalKey(Schema.NonEmptyString),
  orig_content: Schema.optionalKey(Schema.String),
  orig_rendered_content: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  rendered_content: Schema.optionalKey(Schema.String),
  is_me_message: Schema.optionalKey(Schema.Boolean),
  propagate_mode: Schema.optionalKey(Schema.Literals(["change_one", "change_later", "change_all"])),
  orig_subject: Schema.optionalKey(Schema.String),
  /** Present where the topic is another one. */
  subject: Schema.optionalKey(Schema.String),
  topic_links: Schema.optionalKey(Schema.Array(Schema.Struct({ text: Schema.NonEmptyString, url: Url }))),
  new_stream_id: Schema.optionalKey(Id),
}).check(
  Schema.makeFilter(
    ({ subject, new_stream_id: channel, propagate_mode: mode, orig_subject: topic, stream_id: from }) =>
      subject !== undefined || channel !== undefined
        ? mode !== undefined && topic !== undefined && from !== undefined
        : mode === undefined && topic === undefined,
    { expected: "another topic or another channel, if it is a move" },
  ),
  Schema.makeFilter(
    ({ content, propagate_mode: mode, ...event }) =>
      content === undefined
        ? mode !== undefined
        : [event.orig_content, event.orig_rendered_content, event.rendered_content].every(
            (each) => each !== undefined,
          ) && event.is_me_message !== undefined,
    { expected: "a whole content, or a move" },
  ),
  Schema.makeFilter(({ user_id: user, rendering_only: only }) => (user === null) === only, {
    expected: "somebody who changed it, or nobody",
  }),
  Schema.makeFilter(({ message_id: id, message_ids: ids }) => ids.includes(id), { expected: "one of the messages" }),
)

const wireContent = ({ raw, rendered, orig_raw, orig_rendered }: NonNullable<UpdateMessagePayload["content"]>) => ({
  orig_content: orig_raw,
  orig_rendered_content: orig_rendered,
  content: raw,
  rendered_content: rendered,
  is_me_message: raw.startsWith("/me "),
})

const wireMove = (
  topic: string,
  { propagate_mode, channel_id, ...to }: NonNullable<UpdateMessagePayload["moved"]>,
  emptyTopicName: boolean,
) => ({
  propagate_mode,
  orig_subject: showTopic(topic, emptyTopicName),
  ...(to.topic === topic ? {} : { subject: showTopic(to.topic, emptyTopicName), topic_links: to.topic_links }),
  ...(channel_id === undefined ? {} : { new_stream_id: channel_id }),
})

/** The receivers whom a row names one by one: they may have the messages otherwise than by a subscription. */
const namedIn = ({ audience }: LogRow): UserSet =>
  userSet([...(audience.kind === "users" ? audience.users : []), ...(audience.also ?? [])])

interface Known {
  readonly payload: UpdateMessagePayload
  readonly named: Marked
  /** Those of others that somebody was told of: sets of all may be large. */
  readonly others: Map<MessageId, Marked>
  readonly apart: UserSet
}

const knowledgeOf = (row: LogRow, payload: UpdateMessagePayload, { subscriptions }: Past): Known => {
  const { messages, message_id, flags } = payload
  const named = markedBy(message_id, flags)
  const apart = userSet([
    ...apartBy(named, messages.channel_id, namedIn(row), subscriptions),
    ...partlyHolding(messages, subscriptions),
  ])
  return { payload, named, others: new Map(), apart }
}

/** The message whose flags are shown to a receiver who does not hold the one that the row names. */
const toldOther = ({ others }: UpdateMessagePayload, ids: ReadonlyArray<MessageId>): MessageId | undefined => {
  const first = others?.[0]?.message_id
  return first !== undefined && ids.includes(first) ? first : ids[0]
}

export const updateMessageKind = shownKind(updateMessageRows, {
  events: { "": UpdateMessageEvent },
  sections: ["unread_msgs"],
  look: (past, read) => {
    const { subscriptions } = past
    const know = perRow((body) => knowledgeOf(asRow(body), read(body.payload), past))

    const flagsOfOther = ({ payload, others }: Known, row: LogRow, told: MessageId | undefined, user: UserId) => {
      // Rows of older programs have no flags of others.
      if (payload.others === undefined || told === undefined) return ["read"]
      const marked = others.get(told) ?? otherOf(payload, row, told)
      others.set(told, marked)
      return flagsOf(marked, payload.messages.channel_id, user, subscriptions)
    }

    /**
     * The part that this receiver is told: `ids`, the messages they hold; `told`, the one whose flags are shown;
     * `holdsNamed`, whether that is the row's own, without which they hear nothing of its content.
     */
    const copyOf = (row: LogRow, { user }: Receiver) => {
      const known = know(row)
      const { payload, named } = known
      const { messages, message_id } = payload
      const ids = heldOf(messages, user, row.position, subscriptions)
      const holdsNamed = ids === messages.ids || ids.includes(message_id)
      const told = holdsNamed ? message_id : toldOther(payload, ids)
      const flags = holdsNamed
        ? flagsOf(named, messages.channel_id, user, subscriptions)
        : flagsOfOther(known, row, told, user)
      return { payload, ids, told, holdsNamed, flags }
    }

    return {
      personal: true,
      apart: (body) => know(body).apart,
      variant: (body, receiver) => {
        const { ids, payload, flags } = copyOf(asRow(body), receiver)
        return `${receiver.rendering.emptyTopicName} ${flags.join()} ${partOf(payload.messages, ids)}`
      },
      wire: (body, receiver) => {
        const row = asRow(body)
        const { payload, ids, told, holdsNamed, flags } = copyOf(row, receiver)
        if (told === undefined) return none
        const { user_id, channel, content, topic = "", moved } = payload
        const { emptyTopicName } = receiver.rendering
        return one({
          type: "update_message",
          user_id,
          rendering_only: user_id === null,
          edit_timestamp: unixSeconds(row.at),
          message_id: told,
          message_ids: ids,
          flags,
          ...(channel === undefined ? {} : { stream_id: channel.id, stream_name: channel.name }),
          ...(content === undefined || !holdsNamed ? {} : wireContent(content)),
          ...(moved === undefined ? {} : wireMove(topic, moved, emptyTopicName)),
        })
      },
    }
  },
})
