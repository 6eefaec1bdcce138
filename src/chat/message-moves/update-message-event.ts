/**
 * The event of messages that were edited, rendered anew or moved (contract 5.2). Each receiver is told of those that
 * they hold, with their own flags of one of them. Most receivers hold all and have the same flags: they share bytes.
 */
import * as Schema from "effect/Schema"
import type { Receiver } from "../../events/encode.ts"
import { type EventBody, emptyUserSet, inSet, type LogRow, type UserSet, userSet } from "../../events/event.ts"
import { type MessageId, UserId } from "../../ids.ts"
import { type Past, shownKind } from "../kinds/event-kind.ts"
import { asRow, none, one } from "../kinds/event-shape.ts"
import { heldOf, partlyHolding, partOf } from "../kinds/named-messages.ts"
import { type FlagSets, type UpdateMessagePayload, updateMessageRows } from "../kinds/update-message-row.ts"
import { Flags } from "../messages/message-schema.ts"
import { idsOf } from "../realm/id-ranges.ts"
import { showTopic, unixSeconds } from "../realm/values.ts"
import { Id, plainEvent, Seconds, SortedIds, Url } from "../wire/wire-values.ts"

const UpdateMessageEvent = plainEvent("update_message", {
  user_id: Schema.NullOr(Id),
  rendering_only: Schema.Boolean,
  edit_timestamp: Seconds,
  message_id: Id,
  message_ids: SortedIds,
  flags: Flags,
  /** Of a channel's messages. */
  stream_id: Schema.optionalKey(Id),
  stream_name: Schema.optionalKey(Schema.NonEmptyString),
  orig_content: Schema.optionalKey(Schema.String),
  orig_rendered_content: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  rendered_content: Schema.optionalKey(Schema.String),
  is_me_message: Schema.optionalKey(Schema.Boolean),
  propagate_mode: Schema.optionalKey(Schema.Literals(["change_one", "change_later", "change_all"])),
  orig_subject: Schema.optionalKey(Schema.String),
  /** Where the topic is another one. */
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

type Sets = Readonly<
  Record<"unread" | "starred" | "collapsed" | "mentioned" | "topic" | "alerted" | "received" | "everybodyAlso", UserSet>
>

const setOf = (ranges: string | undefined): UserSet => userSet(ranges === undefined ? [] : idsOf(ranges))

const setsOf = (flags: FlagSets): Sets => ({
  unread: setOf(flags.unread),
  starred: setOf(flags.starred),
  collapsed: setOf(flags.collapsed),
  mentioned: setOf(flags.mentioned),
  topic: setOf(flags.topic),
  alerted: setOf(flags.alerted),
  received: setOf(flags.received),
  everybodyAlso: setOf(flags.everybody_also),
})

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

/** What decides the flags of a message. */
interface Marked {
  readonly message_id: MessageId
  readonly flags: FlagSets
  readonly sets: Sets
}

interface Known {
  readonly payload: UpdateMessagePayload
  readonly named: Marked
  /** Those of others that somebody was told of: sets of all may be large. */
  readonly others: Map<MessageId, Marked>
  readonly apart: UserSet
}

/**
 * Where the row has nothing of a message, it is read by all and marks nobody. Who holds it was there when it came, or is told
 * of it where it has just come to.
 */
const othersOf = ({ payload, others }: Known, { position }: LogRow, id: MessageId): Marked => {
  const known = others.get(id)
  if (known !== undefined) return known
  const { messages, moved } = payload
  const since = moved?.channel_id === undefined ? (messages.since?.[messages.ids.indexOf(id)] ?? id) : position
  const flags = payload.others?.find(({ message_id }) => message_id === id)?.flags ?? { since }
  const marked = { message_id: id, flags, sets: setsOf(flags) }
  others.set(id, marked)
  return marked
}

export const updateMessageKind = shownKind(updateMessageRows, {
  events: { "": UpdateMessageEvent },
  sections: ["unread_msgs"],
  look: ({ subscriptions }: Past, read) => {
    // Weak: the sets of a row go when the ring lets go of the row.
    const known = new WeakMap<EventBody, Known>()
    const know = (body: EventBody): Known => {
      const found = known.get(body)
      if (found !== undefined) return found
      const payload = read(body.payload)
      const sets = setsOf(payload.flags)
      const partly = partlyHolding(payload.messages, subscriptions)
      const { everybody_in: of, everybody_at: at = payload.message_id, since } = payload.flags
      const channel = payload.messages.channel_id
      const late = channel === null ? [] : subscriptions.notThroughout(channel, since ?? 0)
      // Where a wildcard is of another channel, those whom it mentions are fewer than the others.
      const strangers =
        of === undefined
          ? []
          : of === channel
            ? subscriptions.notThroughout(of, at)
            : subscriptions.subscribersAt(of, at)
      const others =
        channel === null
          ? emptyUserSet
          : namedIn(asRow(body)).filter((user) => !subscriptions.heldAt(channel, UserId(user), since ?? 0))
      const apart = userSet([
        ...Object.values(sets).flatMap((each) => [...each]),
        ...partly,
        ...late,
        ...strangers,
        ...others,
      ])
      const { message_id, flags } = payload
      const each = { payload, named: { message_id, flags, sets }, others: new Map<MessageId, Marked>(), apart }
      known.set(body, each)
      return each
    }

    const flagsOf = (
      { messages }: UpdateMessagePayload,
      { message_id, flags, sets }: Marked,
      user: UserId,
    ): ReadonlyArray<string> => {
      const { everybody_in: of, everybody_at: at = message_id, everybody = false, since = 0 } = flags
      const byTopic = inSet(sets.topic, user)
      const forAll =
        everybody ||
        (of !== undefined &&
          (subscriptions.subscribedAt(of, user, at) || inSet(sets.everybodyAlso, user) || inSet(sets.mentioned, user)))
      const { channel_id: channel } = messages
      const isReceived = channel === null || inSet(sets.received, user) || subscriptions.heldAt(channel, user, since)
      return [
        ...(inSet(sets.unread, user) ? [] : ["read"]),
        ...(inSet(sets.starred, user) ? ["starred"] : []),
        ...(inSet(sets.collapsed, user) ? ["collapsed"] : []),
        ...(inSet(sets.mentioned, user) ? ["mentioned"] : []),
        ...(forAll ? ["stream_wildcard_mentioned"] : []),
        ...(byTopic ? ["topic_wildcard_mentioned"] : []),
        ...(inSet(sets.alerted, user) ? ["has_alert_word"] : []),
        ...(isReceived ? [] : ["historical"]),
        ...(forAll || byTopic ? ["wildcard_mentioned"] : []),
      ]
    }

    /**
     * The receiver's messages, the one whose flags they are told, and these. Where they do not hold the one that the row names,
     * they hear nothing of it, nor of its content: `isAll` is false. Rows of older programs have no flags of others.
     */
    const copyOf = (row: LogRow, { user }: Receiver) => {
      const each = know(row)
      const { payload, named } = each
      const ids = heldOf(payload.messages, user, row.position, subscriptions)
      const isAll = ids === payload.messages.ids || ids.includes(payload.message_id)
      const first = payload.others?.[0]?.message_id
      const told = isAll ? payload.message_id : first !== undefined && ids.includes(first) ? first : ids[0]
      if (isAll) return { payload, ids, told, isAll, flags: flagsOf(payload, named, user) }
      const isKnown = payload.others !== undefined && told !== undefined
      return {
        payload,
        ids,
        told,
        isAll,
        flags: isKnown ? flagsOf(payload, othersOf(each, row, told), user) : ["read"],
      }
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
        const { payload, ids, told, isAll, flags } = copyOf(row, receiver)
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
          ...(content === undefined || !isAll ? {} : wireContent(content)),
          ...(moved === undefined ? {} : wireMove(topic, moved, emptyTopicName)),
        })
      },
    }
  },
})
