/**
 * The event `update_message_flags`: a user has read, starred or collapsed messages, or undone it. Only they get it. The
 * functions in this folder's .sql files write its rows under the log's lock, with the messages that really change; a
 * row is made here without them.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { showTopic } from "../../ground/realm/domain-values.ts"
import { idsOf } from "../../ground/realm/id-ranges.ts"
import { Id, opEvent, SortedIds } from "../../ground/wire/wire-values.ts"

export const editableFlags = ["read", "starred", "collapsed"] as const
export type EditableFlag = (typeof editableFlags)[number]
export type FlagOp = "add" | "remove"

const isTrue = Schema.optionalKey(Schema.Literal(true))

/** The details that a client needs to list a message that is unread again. */
const detail = <Channel, User>(channel: Schema.Codec<Channel, number>, user: Schema.Codec<User, number>) =>
  Schema.Union([
    Schema.Struct({
      type: Schema.Literal("stream"),
      stream_id: channel,
      topic: Schema.String,
      /** Absent where the topic is muted. */
      unmuted_stream_msg: isTrue,
      mentioned: isTrue,
    }),
    /** `user_ids`: the other participants. */
    Schema.Struct({ type: Schema.Literal("private"), user_ids: Schema.Array(user), mentioned: isTrue }),
  ])

const Payload = Schema.Struct({
  op: Schema.Literals(["add", "remove"]),
  flag: Schema.Literals(editableFlags),
  /** Their ids as ranges (id-ranges.ts), 5,000 at most. */
  messages: Schema.String,
  /** All messages there are, which are not listed. */
  all: Schema.Boolean,
  /** By message id. */
  details: Schema.optionalKey(Schema.Record(Schema.String, detail(idSchemas.channel, idSchemas.user))),
})
type Payload = typeof Payload.Type

const type = "update_message_flags"
const flagEventFields = {
  operation: Schema.Literals(["add", "remove"]),
  flag: Schema.Literals(editableFlags),
  messages: SortedIds,
  all: Schema.Boolean,
}

const showDetails = (details: NonNullable<Payload["details"]>, emptyTopicName: boolean) =>
  Object.fromEntries(
    Object.entries(details).map(([id, each]) => [
      id,
      each.type === "stream" ? { ...each, topic: showTopic(each.topic, emptyTopicName) } : each,
    ]),
  )

export const flagsKind = eventKind({
  type,
  payload: Payload,
  changesRules: false,
  filledIn: ["messages", "details"],
  sections: ["unread_msgs", "starred_messages"],
  events: {
    add: opEvent(type, "add", flagEventFields),
    remove: opEvent(type, "remove", {
      ...flagEventFields,
      message_details: Schema.optionalKey(Schema.Record(Schema.String, detail(Id, Id))),
    }),
  },
  wireForm: (_past, read) => ({
    personal: false,
    variant: ({ payload }, { emptyTopicName }) => ("details" in payload ? String(emptyTopicName) : ""),
    wire: ({ payload }, { emptyTopicName }) => {
      const { op, flag, messages, all, details } = read(payload)
      const common = { type, op, operation: op, flag, messages: idsOf(messages), all }
      return oneEvent(
        details === undefined ? common : { ...common, message_details: showDetails(details, emptyTopicName) },
      )
    },
  }),
})

/** A row that the commit gives its messages. */
export const flagsRow = (user: UserId, op: FlagOp, flag: EditableFlag): NewRow =>
  flagsKind.change({ op, flag, messages: "{}", all: false }, toUsers([user]))

/** The same for users whom the commit finds: each gets a row of their own. */
export const leftRow: NewRow = flagsKind.change({ op: "add", flag: "read", messages: "{}", all: false }, toUsers([]))

export const allReadRow = (user: UserId): NewRow =>
  flagsKind.change({ op: "add", flag: "read", messages: "{}", all: true }, toUsers([user]))
