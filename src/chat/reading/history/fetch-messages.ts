/**
 * GET /messages and GET /messages/{message_id}: messages as a reader may see them now, with the current names of people
 * and channels. Answers reflect the log up to the position of this process's projection.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import {
  type Caller,
  dataReply,
  eitherEndpoint,
  requesterKind,
  requesterName,
  type Visitor,
} from "../../../api/endpoint.ts"
import { badRequest, notSignedIn } from "../../../api/errors.ts"
import { boolean, integer, json, keyword, optional, withDefault } from "../../../api/params.ts"
import { integer as integerShape, list } from "../../../api/shapes.ts"
import { Config } from "../../../config/config.ts"
import { type UserRead, UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import type { JsonObject } from "../../../json.ts"
import { nextSlice } from "../../../slices.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { Count } from "../../ground/wire/wire-values.ts"
import { Message } from "../../sending/messages/message-schema.ts"
import type { MessageRendering } from "../../sending/messages/wire-message.ts"
import { prepareTopicLinks } from "../../text/markdown/topic-links.ts"
import { findMessages, type MessageRange, type Scope } from "./fetch-messages-store.ts"
import { maxMessages, newest, readRange, readSought, requireAlone, tooMany } from "./fetch-range.ts"
import { findAnchor } from "./find-anchor.ts"
import { judgeFor } from "./message-access.ts"
import { findMessagesById, loadableParts, loadMessages } from "./messages-by-id-store.ts"
import { allHeld, type NarrowTerm, narrowShape } from "./narrows/narrow.ts"
import { resolveNarrow } from "./resolve-narrow.ts"
import { findDetails, type ReaderView, requireView, toWire } from "./shown-messages.ts"
import { findMatches, findSought } from "./texts/text-matches.ts"
import type { SearchCandidate } from "./walk/search-walk.ts"

/** A request for messages, and what it is answered from. */
interface MessagesRequest {
  readonly who: Caller | Visitor
  readonly view: ReaderView
  readonly reading: UserRead
  readonly scope: Scope
  readonly look: MessageRendering
  /** The bytes of messages that an answer has at most. */
  readonly mostBytes: number
}

/** Loads the messages that were found in parts, and writes each as it comes. */
const writeMessages = Effect.fnUntraced(function* (
  { view, reading, scope, look }: MessagesRequest,
  found: ReadonlyArray<SearchCandidate>,
) {
  const parts: Array<Buffer> = []
  const sought = yield* findSought(reading, scope.narrow)
  for (const part of loadableParts(found)) {
    const texts = sought === null || look.rendered ? look.rendered : "both"
    const rows = yield* loadMessages(reading, scope, part, judgeFor(view.realm, view.user), texts)
    const shown = yield* findDetails(reading, scope, rows, view, look)
    const matchOf = sought && (yield* findMatches(reading, sought, rows, look.emptyTopicName))
    const details = matchOf === null ? shown : { ...shown, matchOf }
    yield* prepareTopicLinks(view.realm, new Set(rows.map(({ topic }) => topic)))
    if (part.length < found.length) yield* nextSlice
    const messages = toWire(view, rows, details, look)
    if (messages.length === 0) continue
    const begin = parts.length === 0 ? "" : ","
    parts.push(Buffer.from(begin + messages.map((each) => JSON.stringify(each)).join(",")))
  }
  return [Buffer.from('"messages":['), ...parts, Buffer.from("]")]
})

const bytesOf = (found: ReadonlyArray<SearchCandidate>): number => found.reduce((sum, { bytes }) => sum + bytes, 0)

const answerWith = Effect.fnUntraced(function* (
  asking: MessagesRequest,
  found: ReadonlyArray<SearchCandidate>,
  rest: JsonObject,
) {
  const reads = yield* UserReads
  const requester = requesterName(asking.who)
  // A reading of its own: the time that the request waits for room is not the database's.
  const write = Effect.suspend(() =>
    Effect.map(
      writeMessages({ ...asking, reading: reads.begin(requester, requesterKind(asking.who)) }, found),
      (messages) => [messages, ...membersOf(rest)],
    ),
  )
  return yield* (yield* LargeAnswers).answer(requester, bytesOf(found), write, requesterKind(asking.who))
})

const around = Effect.fnUntraced(function* (asking: MessagesRequest, range: MessageRange) {
  const { reading, scope, look, mostBytes } = asking
  const { anchor } = range
  const found = yield* findMessages(reading, scope, range, { rendered: look.rendered, mostBytes })
  return yield* answerWith(asking, found.candidates, {
    found_anchor: found.foundAnchor,
    found_oldest: anchor === 0 || found.endsBefore,
    found_newest: anchor === newest || found.endsAfter,
    history_limited: false,
    anchor,
  })
})

/** A list of ids cannot be cut: its client would take the rest for messages that it may not see. */
const listed = Effect.fnUntraced(function* (asking: MessagesRequest, ids: ReadonlyArray<number>) {
  const { view, reading, scope, look, mostBytes } = asking
  const found = yield* findMessagesById(reading, scope, ids, judgeFor(view.realm, view.user), look.rendered)
  if (found.length > 1 && bytesOf(found) > mostBytes)
    return yield* badRequest(`These messages have more than ${mostBytes} bytes: ask for fewer of them`)
  return yield* answerWith(asking, found, {
    found_anchor: false,
    found_oldest: false,
    found_newest: false,
    history_limited: false,
    anchor: null,
  })
})

/** A number up to that of "newest"; above 2^53 it is rounded. */
const Anchor = Schema.Union([Count, Schema.Finite.check(Schema.isBetween({ minimum: 2 ** 53, maximum: newest }))])

const everything: ReadonlyArray<NarrowTerm> = []

export const getMessages = eitherEndpoint({
  method: "GET",
  path: "/messages",
  summary: "Messages around an anchor, or with given ids, that match a narrow.",
  params: {
    anchor: optional(keyword("anchor")),
    anchorDate: optional(keyword("anchor_date", { max: 100 })),
    useFirstUnreadAnchor: optional(boolean("use_first_unread_anchor")),
    includeAnchor: optional(boolean("include_anchor")),
    numBefore: optional(integer("num_before", { min: 0 })),
    numAfter: optional(integer("num_after", { min: 0 })),
    messageIds: optional(json("message_ids", list(integerShape))),
    narrow: withDefault(json("narrow", narrowShape), everything),
    rendered: withDefault(boolean("apply_markdown"), true),
    gravatar: withDefault(boolean("client_gravatar"), true),
    emptyTopicName: withDefault(boolean("allow_empty_topic_name"), false),
  },
  reply: Schema.Struct({
    messages: Schema.Array(Message),
    found_anchor: Schema.Boolean,
    found_oldest: Schema.Boolean,
    found_newest: Schema.Boolean,
    history_limited: Schema.Literal(false),
    /** null: the messages were asked for by their ids. */
    anchor: Schema.NullOr(Anchor),
  }),
  errors: ["BAD_NARROW", "REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (who, { params }) {
    const view = yield* requireView(who)
    const reading = (yield* UserReads).begin(requesterName(who), requesterKind(who))
    const { answerBytes: mostBytes } = (yield* Config).limits
    const { messageIds } = params
    const ask = Effect.map(resolveNarrow(reading, params.narrow, view), (narrow): MessagesRequest => {
      return { who, view, reading, scope: view.scope(narrow), look: params, mostBytes }
    })
    if (messageIds === undefined) {
      const range = yield* Effect.fromResult(readRange(params))
      const sought = yield* Effect.fromResult(readSought(params))
      const asking = yield* ask
      if (sought === undefined) return yield* around(asking, range)
      const found = yield* findAnchor(reading, asking.scope, view.realm, sought)
      return yield* around(asking, yield* Effect.fromResult(readRange(params, found)))
    }
    yield* Effect.fromResult(requireAlone(params))
    if (messageIds.length > maxMessages) return yield* Effect.fail(tooMany)
    return yield* listed(yield* ask, messageIds)
  }),
})

export const getMessage = eitherEndpoint({
  method: "GET",
  path: "/messages/{message_id:int}",
  summary: "One message, and what its sender typed.",
  params: {
    messageId: integer("message_id"),
    rendered: withDefault(boolean("apply_markdown"), true),
    emptyTopicName: withDefault(boolean("allow_empty_topic_name"), false),
  },
  reply: Schema.Struct({ message: Message, raw_content: Schema.String }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { params: { messageId, rendered, emptyTopicName } }) {
    const view = yield* requireView(who)
    const reading = (yield* UserReads).begin(requesterName(who), requesterKind(who))
    const scope = view.scope(allHeld)
    const judge = judgeFor(view.realm, view.user)
    const found = yield* findMessagesById(reading, scope, [messageId], judge, rendered)
    const rows = yield* loadMessages(reading, scope, found, judge, "both")
    const look = { rendered, emptyTopicName, gravatar: true }
    const details = yield* findDetails(reading, scope, rows, view, look)
    const [message] = toWire(view, rows, details, look)
    const [row] = rows
    if (message === undefined || row === undefined)
      return yield* Effect.fail(view.user === null ? notSignedIn() : badRequest("Invalid message(s)"))
    return dataReply({ message, raw_content: row.content })
  }),
})
