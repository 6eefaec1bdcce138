/**
 * Reads messages from the database: finds out which ones, by searches that read nothing that the reader may not see
 * (search-store.ts, search-walk.ts), and then loads them in parts. No statement of either takes long, whatever is
 * asked for.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Reading } from "../../db/reads.ts"
import { type ChannelId, idSchemas } from "../../ids.ts"
import { held } from "./held-store.ts"
import { readSearch } from "./search.ts"
import {
  additionsSql,
  binder,
  conditionsSql,
  integers,
  memberKey,
  type Scope,
  sizeSql,
} from "./search-conditions-store.ts"
import { findSources, lookInto } from "./search-store.ts"
import { type Candidate, type Found, walk } from "./search-walk.ts"
import { glance } from "./sources/glance.ts"
import { probeBy } from "./sources/probe-store.ts"
import { rowsFor } from "./sources/rows.ts"
import { findIndexed, keysOf, sieveBy, splitAt } from "./texts/sieve-store.ts"
import { hasPhrases, hasTexts, phraseFacts, withWords } from "./texts/texts-store.ts"
import { withinPolicies } from "./topic-policies-store.ts"

export type { Scope } from "./search-conditions-store.ts"

/** Up to `before` messages below the anchor, the anchor itself if `withAnchor`, up to `after` above it. */
export interface Range {
  readonly anchor: number
  readonly before: number
  readonly withAnchor: boolean
  readonly after: number
}

const StoredMessage = Schema.Struct({
  id: idSchemas.message,
  sender_id: idSchemas.user,
  channel_id: Schema.NullOr(idSchemas.channel),
  topic: Schema.String,
  conversation_id: Schema.NullOr(Schema.Number),
  /** The ids of a direct message's participants, sorted, joined by commas; null for a channel message. */
  member_key: Schema.NullOr(Schema.String),
  /** What its sender typed; only the beginning where the rendered text was asked for. */
  content: Schema.String,
  /** Empty where it was not asked for. */
  rendered: Schema.String,
  client: Schema.String,
  read_by_sender: Schema.Boolean,
  /** Milliseconds since the Unix epoch. */
  sent_at: Schema.Number,
  /** When its content was edited last, and when it was moved last; null: never. */
  edited_at: Schema.NullOr(Schema.Number),
  moved_at: Schema.NullOr(Schema.Number),
  /** Whether it was edited or moved, or its topic only resolved. */
  is_changed: Schema.Boolean,
  /** Whether there are reactions or submessages. */
  has_additions: Schema.Boolean,
})
export type StoredMessage = typeof StoredMessage.Type

const decode = Schema.decodeUnknownSync(Schema.Array(StoredMessage))

/** Which messages an answer has, in ascending order of ids. */
export interface FoundMessages {
  readonly candidates: ReadonlyArray<Candidate>
  readonly foundAnchor: boolean
  /** Whether fewer were found on that side than were asked for, because there are no more. */
  readonly endsBefore: boolean
  readonly endsAfter: boolean
}

const none: FoundMessages = { candidates: [], foundAnchor: false, endsBefore: true, endsAfter: true }

/**
 * Takes from both sides in turns until the bytes are used up; at least one message. Answers how many of each side.
 */
const share = (
  before: ReadonlyArray<Candidate>,
  after: ReadonlyArray<Candidate>,
  mostBytes: number,
): readonly [number, number] => {
  const counts: [number, number] = [0, 0]
  let bytes = 0
  for (let rank = 0; rank < Math.max(before.length, after.length); rank++) {
    // Those after the anchor first, because the anchor itself is the first of them.
    for (const [side, list] of [after, before].entries()) {
      const candidate = list[rank]
      if (candidate === undefined) continue
      bytes += candidate.bytes
      if (bytes > mostBytes && counts[0] + counts[1] > 0) return counts
      counts[side === 0 ? 1 : 0] += 1
    }
  }
  return counts
}

/** What was found on one side of the anchor, without the anchor itself: at most as many as are wanted. */
const apart = ({ candidates, isAll }: Found, anchor: number, most: number): Found => {
  const others = candidates[0]?.id === anchor ? candidates.slice(1) : candidates
  return others.length > most ? { candidates: others.slice(0, most), isAll: false } : { candidates: others, isAll }
}

/**
 * The messages around an anchor that match and that the user may see, as many as have `mostBytes`, those next to the
 * anchor first. `rendered`: whether the bytes of the rendered or of the typed text count.
 */
export const findMessages = Effect.fnUntraced(function* (
  reading: Reading,
  scope: Scope,
  { anchor, before, withAnchor, after }: Range,
  { rendered, mostBytes }: { readonly rendered: boolean; readonly mostBytes: number },
) {
  const read = readSearch(scope.narrow.conditions)
  if (read === null) return none
  const search = yield* withWords(reading, yield* withinPolicies(reading, scope, read))
  if (search === null) return none
  const keys = keysOf(search)
  const mostRows = rowsFor(search)
  const only = search.message
  const find = yield* Effect.cached(
    Effect.gen(function* () {
      const indexed = keys.length === 0 ? 0 : yield* findIndexed(reading, scope)
      return { indexed, sources: splitAt(yield* findSources(reading, scope, search), indexed) }
    }),
  )
  const side = Effect.fnUntraced(function* (low: number, high: number, order: "asc" | "desc", most: number) {
    const look = lookInto(reading, scope, search, order, rendered)
    const near = yield* glance({ scope, search, low, high, order, most, mostBytes, lookInto: look })
    if (near !== null) return near
    const { indexed, sources } = yield* find
    return yield* walk({
      sources,
      within: only === null ? { low, high } : { low: Math.max(low, only), high: Math.min(high, only + 1) },
      order,
      most,
      mostBytes,
      ...(mostRows === undefined ? {} : { mostRows }),
      probe: probeBy(reading, scope, search, order),
      sieve: keys.length === 0 ? undefined : sieveBy(reading, scope, keys, indexed, order),
      lookInto: look,
    })
  })
  // The anchor is looked for together with what is on one side of it, because a side costs a step into each source.
  const withAbove = withAnchor && (after > 0 || before === 0)
  const withBelow = withAnchor && !withAbove
  const nothing: Found = { candidates: [], isAll: true }
  const lower =
    before > 0 ? yield* side(0, withBelow ? anchor + 1 : anchor, "desc", before + (withBelow ? 1 : 0)) : nothing
  const end = after > 0 ? Number.MAX_SAFE_INTEGER : anchor + 1
  const upper =
    withAbove || after > 0
      ? yield* side(withAbove ? anchor : anchor + 1, end, "asc", after + (withAbove ? 1 : 0))
      : nothing
  const exact = [lower, upper].flatMap(({ candidates: [first] }) => (first?.id === anchor ? [first] : []))
  const below = apart(lower, anchor, before)
  const above = apart(upper, anchor, after)
  const [earlier, later] = share(below.candidates, [...exact, ...above.candidates], mostBytes)
  const shownBelow = below.candidates.slice(0, earlier)
  const shownAbove = [...exact, ...above.candidates].slice(0, later)
  const isCut = shownAbove.length < exact.length + above.candidates.length
  return {
    candidates: [...shownBelow.toReversed(), ...shownAbove],
    foundAnchor: shownAbove[0]?.id === anchor,
    endsBefore: below.isAll && shownBelow.length === below.candidates.length && shownBelow.length < before,
    endsAfter: above.isAll && !isCut && above.candidates.length < after,
  } satisfies FoundMessages
})

/** Ids that one statement looks up. */
const idsAtOnce = 500
const idsOfPhrases = 100

const partsOf = <A>(
  all: ReadonlyArray<A>,
  isFull: (part: ReadonlyArray<A>) => boolean,
): ReadonlyArray<ReadonlyArray<A>> => {
  const parts: Array<Array<A>> = []
  for (const each of all) {
    const last = parts.at(-1)
    if (last === undefined || isFull(last)) parts.push([each])
    else last.push(each)
  }
  return parts
}

const readById = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.Number,
      bytes: Schema.Number,
      channel_id: Schema.NullOr(idSchemas.channel),
      held: Schema.Boolean,
      facts: Schema.Unknown,
    }),
  ),
)

/**
 * The messages among `ids` that match and that the user may see, in ascending order. `mayReadHistory` is asked about
 * the channels of messages that the user does not hold.
 */
export const findMessagesById = Effect.fnUntraced(function* (
  reading: Reading,
  scope: Scope,
  ids: ReadonlyArray<number>,
  mayReadHistory: (channel: ChannelId) => boolean,
  rendered: boolean,
) {
  const read = readSearch(scope.narrow.conditions)
  const search = read === null ? null : yield* withWords(reading, read)
  if (search === null) return []
  const found: Array<Candidate> = []
  const sorted = [...new Set(ids)].sort((a, b) => a - b)
  const { channels, memberKey: key, direct } = search
  const atOnce = hasPhrases(search) ? idsOfPhrases : idsAtOnce
  for (const part of partsOf(sorted, (each) => each.length >= atOnce)) {
    const { parameters, bind } = binder(scope)
    const conditions = [
      conditionsSql(search, bind),
      ...(direct === null ? [] : [`(m.conversation_id is not null) = ${bind(direct)}::boolean`]),
      ...(channels === null ? [] : [`m.channel_id in (${integers(channels, bind)})`]),
      ...(key === null ? [] : [`${memberKey} = ${bind(key)}::text`]),
    ]
    const rows = yield* reading.query(
      `select m.id, ${sizeSql(rendered, search)} + ${additionsSql("m.id")} as bytes, m.channel_id, ${held} as held,
           ${phraseFacts(search, bind)} as facts
         from (${integers(part, bind)}) as wanted(id) join message m
           on m.realm_id = $1::integer and m.id = wanted.id and m.id <= ${bind(scope.head)}::bigint
          and coalesce(m.channel_since, 0) <= ${bind(scope.head)}::bigint
        where ${conditions.join(" and ")} order by m.id`,
      parameters,
      "generic",
    )
    for (const { id, bytes, channel_id, held, facts } of readById(rows))
      if (!hasTexts(search, facts)) continue
      else if (held || (channel_id !== null && mayReadHistory(channel_id))) found.push({ id, bytes })
  }
  return found
})

/** A part of an answer: about so many bytes and messages at most, for a statement of some milliseconds. */
const partBytes = 256 * 1024
const partMessages = 200

/** In parts that one statement each loads. */
export const loadableParts = (candidates: ReadonlyArray<Candidate>): ReadonlyArray<ReadonlyArray<Candidate>> => {
  let bytes = 0
  return partsOf(candidates, (part) => {
    bytes = part.length === 1 ? (part[0]?.bytes ?? 0) : bytes + (part.at(-1)?.bytes ?? 0)
    return bytes >= partBytes || part.length >= partMessages
  })
}

/**
 * Loads messages that were found by one of the searches above, in ascending order. One that has gone, or that was moved
 * after the search, is left out.
 */
export const loadMessages = Effect.fnUntraced(function* (
  reading: Reading,
  scope: Scope,
  candidates: ReadonlyArray<Candidate>,
  rendered: boolean | "both",
) {
  const { parameters, bind } = binder(scope)
  const content = rendered === true ? "left(m.content, 4)" : "m.content"
  const shown = rendered === false ? "''" : "m.rendered"
  const ids: ReadonlyArray<number> = candidates.map(({ id }) => id)
  const rows = yield* reading.query(
    // The reader is named in any case, because a statement must use all of its parameters.
    `with reader as (select $2::integer)
     select m.id, m.sender_id, m.channel_id, m.topic, m.conversation_id, ${content} as content, ${shown} as rendered,
       m.client, m.read_by_sender, m.sent_at, m.edited_at, m.moved_at, ${memberKey} as member_key,
       m.moves is not null or (select e.message_id from message_edit e
         where e.realm_id = $1::integer and e.message_id = m.id limit 1) is not null as is_changed,
       (select a.message_id from message_addition a
         where a.realm_id = $1::integer and a.message_id = m.id limit 1) is not null as has_additions
     from (${integers(ids, bind)}) as wanted(id) join message m on m.realm_id = $1::integer and m.id = wanted.id
      and coalesce(m.channel_since, 0) <= ${bind(scope.head)}::bigint
     order by m.id`,
    parameters,
    "generic",
  )
  return decode(rows)
})
