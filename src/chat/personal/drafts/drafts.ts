/**
 * Drafts: messages that a user has begun to write, kept for their other clients (contract 2.12, 3.10, spec 12). Nobody but
 * their owner sees them. Whether they may be sent where they are for is asked when they are.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { anyLength, id, json } from "../../../api/params.ts"
import {
  bounded,
  integer,
  list,
  number,
  optional,
  refined,
  shape,
  strictObject,
  string,
  word,
} from "../../../api/shapes.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { ChannelId, UserId } from "../../../ids.ts"
import { ownList } from "../../ground/own-lists/own-list.ts"
import { addOwn, updateOwn } from "../../ground/own-lists/own-list-changes.ts"
import { ownEndpoints, requireOwner } from "../../ground/own-lists/own-list-endpoints.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { findPersonFor } from "../../ground/realm/acquaintance/find-user.ts"
import { cut, unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { Ids, latestSeconds, Seconds } from "../../ground/wire/wire-values.ts"
import { readContent } from "../../sending/messages/prepare-send.ts"

const most = 2000
/** Megabytes of all drafts of a user. */
const mostMegabytes = 5
/** Each draft of a request is a row of its commit. */
const mostAtOnce = 200
const mostRecipients = 200
/** For nobody yet, for people, for a channel. */
const types = ["", "private", "stream"] as const

/** `enable_drafts_synchronization` turned off deletes them (`apply_user_settings_v2`). */
export const drafts = ownList({
  type: "drafts",
  noun: "draft",
  idKey: "id",
  addsList: true,
  fields: {
    type: Schema.Literals(types),
    to: Ids,
    topic: Schema.String,
    content: Schema.NonEmptyString,
    timestamp: Seconds,
  },
  most,
  refusals: { gone: "Draft does not exist", full: `You can keep at most ${most} drafts.` },
  room: {
    bytes: mostMegabytes * 1_000_000,
    refusal: `Your drafts are too long together: you can keep ${mostMegabytes} MB of them. Remove some first.`,
  },
  order: (a, b) => b.value.timestamp - a.value.timestamp || b.id - a.id,
  sortedBy: "timestamp",
})

const topic = shape(string.schema, (value, path) =>
  Predicate.isString(value) && value.includes("\u0000")
    ? Result.fail("Topic must not contain null bytes")
    : string(value, path),
)
/** Some clients send fractions of seconds. */
const timestamp = refined(
  number,
  (seconds, path) => {
    if (seconds < 0) return Result.fail("Timestamp must not be negative.")
    return seconds > latestSeconds ? Result.fail(`${path} is too large`) : Result.succeed(Math.floor(seconds))
  },
  { minimum: 0, maximum: latestSeconds },
)
const draftShape = strictObject({
  type: word(...types),
  to: list(integer, mostRecipients),
  topic,
  content: bounded({ ...anyLength, min: 1 }),
  timestamp: optional(timestamp),
})
type Draft = Result.Result.Success<ReturnType<typeof draftShape>>

const requireSynchronizing = ({ settings }: UserRecord): Checked<void> =>
  settings.enable_drafts_synchronization
    ? Result.succeed(undefined)
    : Result.fail(badRequest("User has disabled synchronizing drafts."))

/** Whom it is for, as far as its type has recipients. */
const requireRecipients = (realm: Realm, writer: UserRecord, { type, to }: Draft): Checked<ReadonlyArray<number>> => {
  if (type === "") return Result.succeed([])
  if (type === "private") {
    const unknown = to.find((each) => findPersonFor(realm, writer, UserId(each)) === undefined)
    return unknown === undefined ? Result.succeed(to) : Result.fail(badRequest(`Invalid user ID ${unknown}`))
  }
  const [only] = to
  if (only === undefined || to.length > 1)
    return Result.fail(badRequest("Must specify exactly 1 channel ID for channel messages"))
  return Result.flatMap(requireChannel(realm, writer, ChannelId(only)), ({ is_archived }) =>
    is_archived ? Result.fail(badRequest("Invalid channel ID")) : Result.succeed(to),
  )
}

/** What is kept of a draft, as the plan of a command. What is too long is cut, as in a message. */
const keep = Effect.gen(function* () {
  const { limits } = yield* Config
  const now = unixSeconds((yield* Clock).now())
  return (draft: Draft) => (realm: Realm, writer: UserRecord) =>
    Result.gen(function* () {
      yield* requireSynchronizing(writer)
      const { type, timestamp = now } = draft
      const content = yield* readContent(draft.content, limits)
      const to = yield* requireRecipients(realm, writer, draft)
      const topic = type === "stream" ? cut(draft.topic, limits.maxTopicLength, "...") : ""
      return { type, to, topic, content, timestamp }
    })
})

const listAndRemoval = ownEndpoints(drafts, {
  path: "/drafts",
  summaries: { list: "The requester's drafts, the one edited longest ago first.", remove: "Removes a draft." },
  counts: true,
  admit: requireSynchronizing,
})

const postDrafts = userEndpoint({
  method: "POST",
  path: "/drafts",
  fresh: "onRefusal",
  summary: "Keeps drafts, all of them or none.",
  params: { drafts: json("drafts", list(draftShape, mostAtOnce)) },
  reply: Schema.Struct({ ids: Ids }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { drafts: given } }) {
    const plan = yield* keep
    const all = given.map(plan)
    return dataReply({
      ids: yield* addOwn(drafts, caller, (realm, writer) => Result.all(all.map((of) => of(realm, writer)))),
    })
  }),
})

const patchDraft = userEndpoint({
  method: "PATCH",
  path: "/drafts/{draft_id:int}",
  fresh: "onRefusal",
  summary: "Replaces a draft.",
  params: { draftId: id("draft_id", Number), draft: json("draft", draftShape) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { draftId, draft } }) {
    yield* requireOwner(caller, requireSynchronizing)
    const plan = yield* keep
    yield* updateOwn(drafts, caller, draftId, () => plan(draft))
    return dataReply()
  }),
})

export const draftEndpoints = [...listAndRemoval, postDrafts, patchDraft]
