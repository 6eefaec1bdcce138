/**
 * The event of messages that were edited, rendered anew or moved. Each receiver is told of those that they hold, with
 * their own flags of one of them. Most receivers hold all and have the same flags: they share bytes. Of a move to another
 * channel those who had only some of the messages get two events: of those, and of the ones that come to them.
 */
import * as Schema from "effect/Schema"
import type { EventReceiver } from "../../../events/encode.ts"
import { type LogRow, type UserSet, userSet } from "../../../events/event.ts"
import type { MessageId, UserId } from "../../../ids.ts"
import { type RealmHistory, wireKind } from "../../ground/kinds/event-kind.ts"
import { cachedPerEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { hadReceived, isMovedMessages, partlyMoved, sharesOf } from "../../ground/kinds/moved-messages.ts"
import { heldOf, keptOf, keptPeople, partlyHolding, partOf } from "../../ground/kinds/named-messages.ts"
import { type UpdateMessagePayload, untoldTopic, updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { showTopic, unixSeconds } from "../../ground/realm/domain-values.ts"
import { Id, plainEvent, Seconds, SortedIds, Url } from "../../ground/wire/wire-values.ts"
import { Flags } from "../../sending/messages/message-schema.ts"
import {
  type FlaggedMessage,
  flaggedMessage,
  flagsForReceiver,
  otherFlaggedMessage,
  receiversApart,
} from "./flags-by-receiver.ts"

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

/** `place`: whether the receiver hears where the messages were; to whom they only come it says all of where they are. */
const wireMove = (
  { topic = "", moved }: UpdateMessagePayload,
  { isNew, knowsPlace }: Pick<ReceiverCopy, "isNew" | "knowsPlace">,
  emptyTopicName: boolean,
) => {
  if (moved === undefined) return {}
  const { propagate_mode, channel_id, channel_name, topic_links, topic: toTopic } = moved
  return {
    propagate_mode,
    ...(knowsPlace ? {} : { stream_id: channel_id, stream_name: channel_name }),
    orig_subject: knowsPlace ? showTopic(topic, emptyTopicName) : untoldTopic,
    ...(toTopic === topic && !isNew ? {} : { subject: showTopic(toTopic, emptyTopicName), topic_links }),
    ...(channel_id === undefined ? {} : { new_stream_id: channel_id }),
  }
}

/** The receivers whom a row names one by one: they may have the messages otherwise than by a subscription. */
const namedIn = ({ audience }: LogRow): UserSet =>
  userSet([...(audience.kind === "users" ? audience.users : []), ...(audience.also ?? [])])

interface EventKnowledge {
  readonly payload: UpdateMessagePayload
  readonly named: FlaggedMessage
  /** Those of others that somebody was told of: sets of all may be large. */
  readonly others: Map<MessageId, FlaggedMessage>
  readonly apart: UserSet
}

const knowledgeOf = (row: LogRow, payload: UpdateMessagePayload, past: RealmHistory): EventKnowledge => {
  const { messages, message_id, flags } = payload
  const named = flaggedMessage(message_id, flags)
  const apart = userSet([
    ...receiversApart(named, messages.channel_id, namedIn(row), past.subscriptions),
    ...(isMovedMessages(messages) ? partlyMoved(messages, row.position, past) : partlyHolding(messages, past)),
    ...keptPeople(messages.kept, past),
  ])
  return { payload, named, others: new Map(), apart }
}

/** What one event tells a receiver. */
interface ReceiverCopy {
  readonly ids: ReadonlyArray<MessageId>
  /** The one whose flags are shown. */
  readonly told: MessageId
  readonly flags: ReadonlyArray<string>
  /** Whether that is the row's own, without which they hear nothing of its content. */
  readonly holdsNamed: boolean
  /** Whether the messages only come to them by this, and whether they may hear from where. */
  readonly isNew: boolean
  readonly knowsPlace: boolean
}

/** The message whose flags are shown to a receiver who does not hold the one that the row names. */
const toldOther = ({ others }: UpdateMessagePayload, ids: ReadonlyArray<MessageId>): MessageId | undefined => {
  const first = others?.[0]?.message_id
  return first !== undefined && ids.includes(first) ? first : ids[0]
}

export const updateMessageKind = wireKind(updateMessageRows, {
  events: { "": UpdateMessageEvent },
  sections: ["unread_msgs"],
  wireForm: (past, read) => {
    const { subscriptions } = past
    const know = cachedPerEvent((body) => knowledgeOf(requireStoredRow(body), read(body.payload), past))

    const markedOf = (
      { payload, named, others }: EventKnowledge,
      row: LogRow,
      id: MessageId,
    ): FlaggedMessage | undefined => {
      if (id === payload.message_id) return named
      // Rows of older programs have no flags of others.
      if (payload.others === undefined) return undefined
      const marked = others.get(id) ?? otherFlaggedMessage(payload, row, id)
      others.set(id, marked)
      return marked
    }

    const isKept = ({ messages }: UpdateMessagePayload, row: LogRow, id: MessageId, user: UserId): boolean =>
      isMovedMessages(messages)
        ? hadReceived(messages, id, user, row.position, past)
        : messages.kept !== undefined && keptOf(messages.kept, user, row.position, past, "received").includes(id)

    /** The event about some of the messages; none where there are none. */
    const copyOf = (
      row: LogRow,
      user: UserId,
      ids: ReceiverCopy["ids"],
      isNew: boolean,
      knowsPlace: boolean,
    ): ReadonlyArray<ReceiverCopy> => {
      const known = know(row)
      const { payload } = known
      const { messages, message_id } = payload
      const holdsNamed = ids === messages.ids || ids.includes(message_id)
      const told = holdsNamed ? message_id : toldOther(payload, ids)
      if (told === undefined) return []
      const marked = markedOf(known, row, told)
      const flags =
        marked === undefined
          ? ["read"]
          : flagsForReceiver(marked, messages.channel_id, user, subscriptions, isKept(payload, row, told, user))
      return [{ ids, told, flags, holdsNamed, isNew, knowsPlace }]
    }

    const copiesOf = (row: LogRow, { user }: EventReceiver): ReadonlyArray<ReceiverCopy> => {
      const { messages } = know(row).payload
      if (!isMovedMessages(messages)) return copyOf(row, user, heldOf(messages, user, row.position, past), false, true)
      const { had, gained, knowsPlace } = sharesOf(messages, user, row.position, past)
      return [...copyOf(row, user, had, false, true), ...copyOf(row, user, gained, true, knowsPlace)]
    }

    return {
      personal: true,
      apart: (body) => know(body).apart,
      variant: (body, receiver) => {
        const row = requireStoredRow(body)
        const { messages } = know(row).payload
        const copies = copiesOf(row, receiver).map(
          ({ flags, ids, isNew, knowsPlace }) => `${flags.join()} ${isNew} ${knowsPlace} ${partOf(messages, ids)}`,
        )
        return `${receiver.rendering.emptyTopicName} ${copies.join(" and ")}`
      },
      wire: (body, receiver) => {
        const row = requireStoredRow(body)
        const { payload } = know(row)
        const { user_id, channel, content } = payload
        return copiesOf(row, receiver).map((copy, n) => ({
          n,
          event: {
            type: "update_message",
            user_id,
            rendering_only: user_id === null,
            edit_timestamp: unixSeconds(row.at),
            message_id: copy.told,
            message_ids: copy.ids,
            flags: copy.flags,
            ...(channel === undefined ? {} : { stream_id: channel.id, stream_name: channel.name }),
            ...(content === undefined || !copy.holdsNamed ? {} : wireContent(content)),
            ...wireMove(payload, copy, receiver.rendering.emptyTopicName),
          },
        }))
      },
    }
  },
})
