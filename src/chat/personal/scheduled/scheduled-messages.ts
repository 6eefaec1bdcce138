/**
 * Scheduled messages (contract 2.5, 3.10; spec 5): they are checked as sends are when they are made and changed, and again when
 * their time has come. Nobody but their author sees them.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { anyLength, boolean, choice, id, json, optional, seconds, text } from "../../../api/params.ts"
import { either, integer as integerShape, list } from "../../../api/shapes.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { readOwn } from "../../ground/own-lists/own-list-changes.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { type Destination, mostNamed } from "../../sending/messages/destination.ts"
import { type PreparedMessage, planSend } from "../../sending/messages/judge-send.ts"
import { prepareSend, readByDefault, readContent } from "../../sending/messages/prepare-send.ts"
import { destinationOf } from "./deliver-message.ts"
import { addScheduled, changeScheduled, notInFuture, type PlannedItem, removeScheduled } from "./scheduled-changes.ts"
import { type ScheduledMessage, scheduledMessages } from "./scheduled-lists.ts"

const scheduledMessageList = {
  itemKind: "scheduled_message",
  list: scheduledMessages,
  refusals: {
    refuseGone: scheduledMessages.gone,
    refuseSent: badRequest("Scheduled message was already sent"),
    refuseWithoutTime: notInFuture,
  },
} as const

/** The year 5138: later ones are milliseconds by mistake. */
export const time = seconds("scheduled_delivery_timestamp", { min: 0, max: 1e11 })
const messageId = id("scheduled_message_id", Number)
const type = choice("type", ["direct", "channel", "stream", "private"])
const to = json("to", either(integerShape, list(integerShape, mostNamed), "is not an integer or a list of integers"))
const content = text("content", anyLength)
const topic = text("topic", anyLength)

const typeOf = (word: "direct" | "channel" | "stream" | "private"): ScheduledMessage["type"] =>
  word === "direct" || word === "private" ? "private" : "stream"

/** What a request does not state, but says by itself, or what an earlier one did. */
type InheritedFields = Pick<ScheduledMessage, "read_by_sender" | "client" | "origin" | "scheduled_delivery_timestamp">

/** The record of a message that may be sent as it is, by the rules of now. */
const planMessage = (
  realm: Realm,
  caller: Caller,
  send: PreparedMessage,
  limits: Limits,
  kept: InheritedFields,
): Checked<PlannedItem<ScheduledMessage>> =>
  Result.map(planSend(realm, caller, send, limits), ({ args }) => {
    const { channel_id, member_key = "", may_begin = true, topic = "" } = args
    const others = member_key.split(",").map(Number)
    const people = others.length === 1 ? others : others.filter((id) => id !== caller.user)
    const files = send.files.map(({ id }) => id)
    const value: ScheduledMessage = {
      ...(channel_id === undefined ? { type: "private", to: people } : { type: "stream", to: channel_id, topic }),
      content: send.content,
      rendered_content: send.rendered,
      failed: false,
      ...kept,
      ...(files.length === 0 ? {} : { files: [...files].sort((a, b) => a - b) }),
    }
    const guard = { fn: "may_begin_v1", args: { member_key, may_begin } }
    return { value, guard: channel_id === undefined ? guard : undefined }
  })

const unsentOf = (destination: Destination, content: string, readBySender: boolean) => ({
  destination,
  content,
  readBySender,
  widget: undefined,
  echo: null,
})

const getScheduledMessages = userEndpoint({
  method: "GET",
  path: "/scheduled_messages",
  summary: "The requester's scheduled messages, the earliest first.",
  params: {},
  reply: Schema.Struct(scheduledMessages.section.keys),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    yield* requireAccount(caller)
    return dataReply(yield* readOwn(scheduledMessages, caller))
  }),
})

const postScheduledMessages = userEndpoint({
  method: "POST",
  path: "/scheduled_messages",
  fresh: "onRefusal",
  summary: "Has a message sent later.",
  params: {
    type,
    to,
    content,
    topic: optional(topic),
    seconds: time,
    readBySender: optional(boolean("read_by_sender")),
  },
  reply: Schema.Struct({ scheduled_message_id: Id }),
  errors: ["STREAM_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const { limits } = yield* Config
    const content = yield* Effect.fromResult(readContent(params.content, limits))
    const { client, origin } = caller
    const read_by_sender = params.readBySender ?? readByDefault(client)
    const kept: InheritedFields = { read_by_sender, client, origin, scheduled_delivery_timestamp: params.seconds }
    const destination = destinationOf({ ...params, type: typeOf(params.type) })
    const { send } = yield* prepareSend(caller, unsentOf(destination, content, read_by_sender))
    const scheduled_message_id = yield* addScheduled(scheduledMessageList, caller, params.seconds, (realm) =>
      planMessage(realm, caller, send, limits, kept),
    )
    return dataReply({ scheduled_message_id })
  }),
})

/** The parameters of an edit; undefined: as it was. */
interface ScheduledMessageUpdate {
  readonly type: ScheduledMessage["type"] | undefined
  readonly to: ScheduledMessage["to"] | undefined
  readonly topic: string | undefined
}

/** Where a message goes after an edit. What the other type lacks is to be stated where the type changes. */
const destinationAfter = (
  before: ScheduledMessage,
  { type = before.type, to, topic }: ScheduledMessageUpdate,
): Checked<Destination> => {
  const changes = type !== before.type
  if (changes && to === undefined)
    return Result.fail(badRequest("Recipient required when updating type of scheduled message."))
  if (changes && type === "stream" && topic === undefined)
    return Result.fail(badRequest("Topic required when updating scheduled message type to channel."))
  return Result.succeed(destinationOf({ type, to: to ?? before.to, topic: topic ?? before.topic }))
}

const patchScheduledMessage = userEndpoint({
  method: "PATCH",
  path: "/scheduled_messages/{scheduled_message_id:int}",
  fresh: "onRefusal",
  summary: "Changes a message that is to be sent later.",
  params: {
    messageId,
    type: optional(type),
    to: optional(to),
    content: optional(content),
    topic: optional(topic),
    seconds: optional(time),
  },
  reply: noFields,
  errors: ["STREAM_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, seconds, ...wish } }) {
    const { limits } = yield* Config
    if ([seconds, ...Object.values(wish)].every((value) => value === undefined))
      return yield* badRequest("Nothing to change")
    const content = wish.content === undefined ? undefined : yield* Effect.fromResult(readContent(wish.content, limits))
    const type = wish.type === undefined ? undefined : typeOf(wish.type)
    const prepare = Effect.fnUntraced(function* (before: ScheduledMessage) {
      const destination = yield* Effect.fromResult(destinationAfter(before, { ...wish, type }))
      return yield* prepareSend(caller, unsentOf(destination, content ?? before.content, before.read_by_sender))
    })
    yield* changeScheduled(scheduledMessageList, caller, messageId, seconds, prepare, (before, { send }, realm) => {
      const { read_by_sender, client, origin, scheduled_delivery_timestamp } = before
      const kept = { read_by_sender, client, origin }
      const time = seconds ?? scheduled_delivery_timestamp
      return planMessage(realm, caller, send, limits, { ...kept, scheduled_delivery_timestamp: time })
    })
    return dataReply()
  }),
})

const deleteScheduledMessage = userEndpoint({
  method: "DELETE",
  path: "/scheduled_messages/{scheduled_message_id:int}",
  fresh: "onRefusal",
  summary: "Removes a message that is to be sent later.",
  params: { messageId },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { messageId } }) {
    yield* removeScheduled(scheduledMessageList, caller, messageId)
    return dataReply()
  }),
})

export const scheduledMessageEndpoints = [
  getScheduledMessages,
  postScheduledMessages,
  patchScheduledMessage,
  deleteScheduledMessage,
]
