/**
 * POST /mark_all_as_read, /mark_stream_as_read and /mark_topic_as_read: older ways to read many messages. Everything is
 * marked by one small row. A channel or a topic is marked some thousand messages at a time, each part with an event
 * that lists those that were unread.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id, text } from "../../../api/params.ts"
import { ChannelId, type UserId } from "../../../ids.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { readTopic } from "../../ground/realm/domain-values.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { findMessages, type Scope } from "../history/fetch-messages-store.ts"
import type { Matcher, NarrowCondition } from "../history/narrows/matcher.ts"
import { allHeld } from "../history/narrows/narrow.ts"
import { changeFlag, readAll } from "./change-flags.ts"
import { requireScope } from "./flags.ts"

/** Messages that are looked for at a time. */
const partMessages = 5000

const found = { rendered: false, mostBytes: Number.MAX_SAFE_INTEGER }
const matching = (matcher: Matcher): NarrowCondition => ({ matcher, negated: false })

const narrowedTo = (scope: Scope, ...conditions: ReadonlyArray<NarrowCondition>): Scope => ({
  ...scope,
  narrow: { conditions, history: [] },
})

/** Marks the unread messages of these conditions as read. */
const readMatching = Effect.fnUntraced(function* (caller: Caller, ...conditions: ReadonlyArray<NarrowCondition>) {
  for (let anchor = 0; ; ) {
    // Each part has the time of a read for itself.
    const { reading, scope } = yield* requireScope(caller)
    const unread = narrowedTo(scope(allHeld), ...conditions, matching({ kind: "flag", flag: "unread" }))
    const range = { anchor, before: 0, withAnchor: false, after: partMessages }
    const { candidates } = yield* findMessages(reading, unread, range, found)
    const ids = candidates.map((each) => each.id)
    yield* changeFlag(caller, reading, unread, { op: "add", flag: "read" }, ids)
    const last = ids.at(-1)
    if (last === undefined || ids.length < partMessages) return
    anchor = last
  }
})

/** Marks the unread messages of a sender as read, 5,000 at a time. */
export const readAllOf = (caller: Caller, sender: UserId) => readMatching(caller, matching({ kind: "sender", sender }))

export const markAllAsRead = userEndpoint({
  method: "POST",
  path: "/mark_all_as_read",
  fresh: "onRefusal",
  summary: "Marks all of the requester's messages as read.",
  params: {},
  reply: Schema.Struct({ complete: Schema.Literal(true) }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    yield* requireAccount(caller)
    yield* readAll(caller)
    return dataReply({ complete: true })
  }),
})

const streamId = id("stream_id", ChannelId)

export const markStreamAsRead = userEndpoint({
  method: "POST",
  path: "/mark_stream_as_read",
  fresh: "onRefusal",
  summary: "Marks the requester's messages in a channel as read.",
  params: { streamId },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId } }) {
    const { realm, user } = yield* requireAccount(caller)
    const channel = yield* Effect.fromResult(requireChannel(realm, user, streamId))
    yield* readMatching(caller, matching({ kind: "channel", channel: channel.id }))
    return dataReply()
  }),
})

export const markTopicAsRead = userEndpoint({
  method: "POST",
  path: "/mark_topic_as_read",
  fresh: "onRefusal",
  summary: "Marks the requester's messages in a topic as read.",
  params: { streamId, topicName: text("topic_name") },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId, topicName } }) {
    const { realm, user, reading, scope } = yield* requireScope(caller)
    const channel = yield* Effect.fromResult(requireChannel(realm, user, streamId))
    const conditions = [
      matching({ kind: "channel", channel: channel.id }),
      matching({ kind: "topic", topic: readTopic(topicName) }),
    ]
    const held = narrowedTo(scope(allHeld), ...conditions)
    const newestHeld = { anchor: Number.MAX_SAFE_INTEGER, before: 1, withAnchor: false, after: 0 }
    const { candidates } = yield* findMessages(reading, held, newestHeld, found)
    if (candidates.length === 0) return yield* badRequest(`No such topic '${topicName}'`)
    yield* readMatching(caller, ...conditions)
    return dataReply()
  }),
})
