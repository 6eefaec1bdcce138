/**
 * POST /messages/flags and /messages/flags/narrow: the requester reads, stars or collapses messages, or undoes it. A
 * message that they may not see answers exactly like one that there is not.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { boolean, integer, json, keyword, withDefault } from "../../../api/params.ts"
import { integer as integerShape, list } from "../../../api/shapes.ts"
import { UserReads } from "../../../db/reads.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { Count, Id, Ids, SortedIds } from "../../ground/wire/wire-values.ts"
import { findMessages, type Scope } from "../history/fetch-messages-store.ts"
import { maxMessages, newest, readRange, readSought } from "../history/fetch-range.ts"
import { findAnchor } from "../history/find-anchor.ts"
import { judgeFor } from "../history/message-access.ts"
import { findMessagesById } from "../history/messages-by-id-store.ts"
import { allHeld, type Narrow, type NarrowTerm, narrowShape } from "../history/narrows/narrow.ts"
import { resolveNarrow } from "../history/resolve-narrow.ts"
import { changeFlag, type FlagChange } from "./change-flags.ts"
import { editableFlags } from "./flags-event.ts"

/** Flags that follow from a message and its readers. */
const fixedFlags: ReadonlySet<string> = new Set([
  "mentioned",
  "stream_wildcard_mentioned",
  "topic_wildcard_mentioned",
  "wildcard_mentioned",
  "group_mentioned",
  "has_alert_word",
  "historical",
  "force_expand",
  "force_collapse",
])

const readChange = (op: string, flag: string): Checked<FlagChange> => {
  const known = editableFlags.find((each) => each === flag)
  if (known === undefined)
    return Result.fail(badRequest(fixedFlags.has(flag) ? `Flag not editable: '${flag}'` : `Invalid flag: '${flag}'`))
  return op === "add" || op === "remove"
    ? Result.succeed({ op, flag: known })
    : Result.fail(badRequest(`Invalid message flag operation: '${op}'`))
}

/** The scope that a request is answered from: the requester's view of the realm at one moment. */
export const requireScope = Effect.fnUntraced(function* (caller: Caller) {
  const { realm, user } = yield* requireAccount(caller)
  const reading = (yield* UserReads).begin(requesterName(caller))
  const head = realm.position
  const judge = judgeFor(realm, user)
  const scope = (narrow: Narrow): Scope => ({ realm: realm.id, user: user.id, head, narrow, judge })
  return { realm, user, reading, scope, judge }
})

export const postFlags = userEndpoint({
  method: "POST",
  path: "/messages/flags",
  fresh: "onRefusal",
  summary: "Adds a personal flag to messages, or removes it.",
  params: { messages: json("messages", list(integerShape)), op: keyword("op"), flag: keyword("flag") },
  reply: Schema.Struct({ messages: Ids, ignored_because_not_subscribed_channels: SortedIds }),
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { messages, op, flag } }) {
    const change = yield* Effect.fromResult(readChange(op, flag))
    const { reading, scope, judge } = yield* requireScope(caller)
    const found = yield* findMessagesById(reading, scope(allHeld), messages, judge, false)
    if (found.length < new Set(messages).size) return yield* badRequest("Invalid message(s)")
    const ids = found.map(({ id }) => id)
    const { ignored } = yield* changeFlag(caller, reading, scope(allHeld), change, ids)
    return dataReply({ messages, ignored_because_not_subscribed_channels: ignored })
  }),
})

const everything: ReadonlyArray<NarrowTerm> = []

export const postFlagsForNarrow = userEndpoint({
  method: "POST",
  path: "/messages/flags/narrow",
  fresh: "before",
  summary: "Adds a personal flag to the messages around an anchor that match a narrow, or removes it.",
  params: {
    anchor: keyword("anchor"),
    includeAnchor: withDefault(boolean("include_anchor"), true),
    numBefore: integer("num_before", { min: 0 }),
    numAfter: integer("num_after", { min: 0 }),
    narrow: withDefault(json("narrow", narrowShape), everything),
    op: keyword("op"),
    flag: keyword("flag"),
  },
  reply: Schema.Struct({
    processed_count: Count,
    updated_count: Count,
    first_processed_id: Schema.NullOr(Id),
    last_processed_id: Schema.NullOr(Id),
    found_oldest: Schema.Boolean,
    found_newest: Schema.Boolean,
    ignored_because_not_subscribed_channels: SortedIds,
  }),
  errors: ["BAD_NARROW", "REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const change = yield* Effect.fromResult(readChange(params.op, params.flag))
    const numBefore = Math.min(params.numBefore, maxMessages)
    const numAfter = Math.min(params.numAfter, maxMessages - numBefore)
    const asked = { ...params, numBefore, numAfter, anchorDate: null, useFirstUnreadAnchor: undefined }
    const first = yield* Effect.fromResult(readRange(asked))
    const sought = yield* Effect.fromResult(readSought(asked))
    const { realm, user, reading, scope } = yield* requireScope(caller)
    const narrowed = scope(yield* resolveNarrow(reading, params.narrow, { realm, user }))
    const range =
      sought === undefined
        ? first
        : yield* Effect.fromResult(readRange(asked, yield* findAnchor(reading, narrowed, realm, sought)))
    const wanted = { rendered: false, mostBytes: Number.MAX_SAFE_INTEGER }
    const { candidates, endsBefore, endsAfter } = yield* findMessages(reading, narrowed, range, wanted)
    const ids = candidates.map(({ id }) => id)
    const { count, ignored } = yield* changeFlag(caller, reading, narrowed, change, ids)
    return dataReply({
      processed_count: ids.length,
      updated_count: count,
      first_processed_id: ids[0] ?? null,
      last_processed_id: ids.at(-1) ?? null,
      found_oldest: range.anchor === 0 || endsBefore,
      found_newest: range.anchor === newest || endsAfter,
      ignored_because_not_subscribed_channels: ignored,
    })
  }),
})
