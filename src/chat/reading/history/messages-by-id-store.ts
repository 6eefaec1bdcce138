/**
 * Messages by their ids: which of them a reader may see, and what they hold. A message may be moved at any time, to a
 * channel that its reader may not see: so it is loaded where it was judged, or it is judged again.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { fromColumns, inColumns } from "../../../db/rows-in-columns.ts"
import { idSchemas } from "../../../ids.ts"
import { waitForPosition } from "../../ground/realm/realms.ts"
import { contentsPerStatement } from "./sources/rows-per-statement.ts"
import { binder } from "./walk/bind-parameters.ts"
import { isHeldSql } from "./walk/held-messages-store.ts"
import { additionsSql, sizeSql } from "./walk/message-size-store.ts"
import { flagList } from "./walk/read-state-store.ts"
import { readSearch } from "./walk/search.ts"
import {
  conditionsSql,
  integers,
  type MessageJudge,
  memberKey,
  type SearchScope,
} from "./walk/search-conditions-store.ts"
import type { SearchCandidate } from "./walk/search-walk.ts"
import { hasTexts, phraseFacts, withWords } from "./walk/texts-store.ts"

const StoredMessage = Schema.Struct({
  id: idSchemas.message,
  /** The position at which it came to its channel; 0 for a direct message. */
  since: Schema.Number,
  /** Whether the reader holds it; null where that was not asked. */
  held: Schema.NullOr(Schema.Boolean),
  sender_id: idSchemas.user,
  channel_id: Schema.NullOr(idSchemas.channel),
  topic: Schema.String,
  conversation_id: Schema.NullOr(Schema.Number),
  /** The ids of a direct message's participants, sorted, joined by commas; null for a channel message. */
  member_key: Schema.NullOr(Schema.String),
  /** The text that its sender typed; only the beginning where the rendered text was asked for. */
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
  /** Those of the reader. */
  flags: Schema.Array(Schema.String),
})
export type StoredMessage = typeof StoredMessage.Type

const decode = Schema.decodeUnknownSync(Schema.Array(StoredMessage))
/** Messages of so many bytes on average are handed over in columns; long texts would be read twice then. */
const shortBytes = 4096
const storedColumns = Object.keys(StoredMessage.fields)

/** Ids that one statement looks up. */
const idsAtOnce = 500

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
      since: Schema.Number,
      bytes: Schema.Number,
      channel_id: Schema.NullOr(idSchemas.channel),
      held: Schema.Boolean,
      facts: Schema.Unknown,
    }),
  ),
)

/** A message, and the position at which it came to its channel. */
interface Placed {
  readonly id: number
  readonly since: number
}

const idsOf = (messages: ReadonlyArray<Placed>): ReadonlyArray<number> => messages.map(({ id }) => id)

/** The newest position that any of the messages bears. */
const newestOf = (messages: ReadonlyArray<Placed>): number =>
  messages.reduce((newest, { id, since }) => Math.max(newest, id, since), 0)

/**
 * The messages among `ids` that match and that the reader may see, in ascending order. `rendered`: whether the bytes of
 * the rendered or of the typed text count.
 */
export const findMessagesById = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  ids: ReadonlyArray<number>,
  { realm, mayRead }: MessageJudge,
  rendered: boolean,
) {
  const read = readSearch(scope.narrow.conditions)
  const search = read === null ? null : yield* withWords(reading, read)
  if (search === null) return []
  const found: Array<SearchCandidate> = []
  const sorted = [...new Set(ids)].sort((a, b) => a - b)
  const { channels, memberKey: key, direct } = search
  const atOnce = contentsPerStatement(search) ?? idsAtOnce
  for (const part of partsOf(sorted, (each) => each.length >= atOnce)) {
    const { parameters, bind } = binder(scope)
    const conditions = [
      conditionsSql(search, bind),
      ...(direct === null ? [] : [`(m.conversation_id is not null) = ${bind(direct)}::boolean`]),
      ...(channels === null ? [] : [`m.channel_id in (${integers(channels, bind)})`]),
      ...(key === null ? [] : [`${memberKey} = ${bind(key)}::text`]),
    ]
    const rows = yield* reading.query(
      `select m.id, coalesce(m.channel_since, 0) as since, ${sizeSql(rendered, search)} + ${additionsSql("m.id")} as bytes, m.channel_id, ${isHeldSql} as held,
           ${phraseFacts(search, bind)} as facts
         from (${integers(part, bind)}) as wanted(id) join message m
           on m.realm_id = $1::integer and m.id = wanted.id
        where ${conditions.join(" and ")} order by m.id`,
      parameters,
      "generic",
    )
    const seen = readById(rows)
    yield* waitForPosition(realm, newestOf(seen))
    for (const { id, since, bytes, channel_id, held, facts } of seen)
      if (!hasTexts(search, facts)) continue
      else if (mayRead(channel_id, held)) found.push({ id, since, bytes })
  }
  return found
})

/** A part of an answer: about so many bytes and messages at most, for a statement of some milliseconds. */
const partBytes = 256 * 1024
const partMessages = 200

/** In parts that one statement each loads. */
export const loadableParts = (
  candidates: ReadonlyArray<SearchCandidate>,
): ReadonlyArray<ReadonlyArray<SearchCandidate>> => {
  let bytes = 0
  return partsOf(candidates, (part) => {
    bytes = part.length === 1 ? (part[0]?.bytes ?? 0) : bytes + (part.at(-1)?.bytes ?? 0)
    return bytes >= partBytes || part.length >= partMessages
  })
}

/** The reader's flags as a column, and the join that it needs. A visitor without an account has read everything. */
const flagsFor = ({ user }: SearchScope) =>
  user === null
    ? { column: `'["read"]'::json`, join: "" }
    : {
        column: flagList,
        join: `left join personal_message p
       on p.realm_id = $1::integer and p.user_id = $2::integer and p.message_id = m.id`,
      }

/**
 * Loads messages in ascending order, wherever they are. One that has gone is left out. `rendered`: which texts are
 * wanted, the rendered (true), the typed (false) or both.
 */
const loadRows = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  ids: ReadonlyArray<number>,
  rendered: boolean | "both",
  { asksHeld, areShort }: { readonly asksHeld: boolean; readonly areShort: boolean },
) {
  const { parameters, bind } = binder(scope)
  const content = rendered === true ? "left(m.content, 4)" : "m.content"
  const shown = rendered === false ? "''" : "m.rendered"
  const flags = flagsFor(scope)
  // The reader is named in any case, because a statement must use all of its parameters.
  const sql = `with reader as (select $2::integer)
     select m.id, coalesce(m.channel_since, 0) as since, ${asksHeld ? isHeldSql : "null::boolean"} as held, m.sender_id, m.channel_id, m.topic, m.conversation_id, ${content} as content, ${shown} as rendered,
       m.client, m.read_by_sender, m.sent_at, m.edited_at, m.moved_at, ${memberKey} as member_key,
       m.moves is not null or (select e.message_id from message_edit e
         where e.realm_id = $1::integer and e.message_id = m.id limit 1) is not null as is_changed,
       (select a.message_id from message_addition a
         where a.realm_id = $1::integer and a.message_id = m.id limit 1) is not null as has_additions,
       ${flags.column} as flags
     from (${integers(ids, bind)}) as wanted(id) join message m on m.realm_id = $1::integer and m.id = wanted.id
       ${flags.join}
     order by m.id`
  if (!areShort) return decode(yield* reading.query(sql, parameters, "generic"))
  return decode(fromColumns(yield* reading.query(inColumns(storedColumns, sql), parameters, "generic")))
})

/**
 * Loads messages that were found by a search, in ascending order. One that was moved since then is loaded once more,
 * with whether the reader holds it where it is now: so nobody can hide a message by moving it faster than others read.
 * Whoever has lost a private channel since then gets nothing of it. `rendered`: as for `loadRows`.
 */
export const loadMessages = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  candidates: ReadonlyArray<SearchCandidate>,
  judge: MessageJudge,
  rendered: boolean | "both",
) {
  const bytes = candidates.reduce((sum, each) => sum + each.bytes, 0)
  const areShort = bytes <= shortBytes * candidates.length
  const load = (messages: ReadonlyArray<Placed>, asksHeld: boolean) =>
    loadRows(reading, scope, idsOf(messages), rendered, { asksHeld, areShort })
  const judgedAt = new Map(candidates.map(({ id, since }) => [id, since]))
  const isWhereJudged = ({ id, since }: StoredMessage): boolean => judgedAt.get(id) === since
  const loaded = candidates.length === 0 ? [] : yield* load(candidates, false)
  const moved = loaded.filter((row) => !isWhereJudged(row))
  const again = moved.length === 0 ? [] : yield* load(moved, true)
  const rows = [...loaded.filter(isWhereJudged), ...again]
  // Also the channel of a message may be newer than the projection.
  yield* waitForPosition(judge.realm, newestOf(rows))
  const seen = again.filter(({ held, channel_id }) => judge.mayRead(channel_id, held === true))
  const isNarrowed = seen.length > 0 && scope.narrow.conditions.length > 0
  const fitting = isNarrowed ? yield* findMessagesById(reading, scope, idsOf(seen), judge, rendered !== false) : seen
  const kept = new Set(idsOf(fitting))
  // Where it was judged whether they hold it, only the channel may be lost.
  const isStillRead = (row: StoredMessage) => isWhereJudged(row) && judge.mayRead(row.channel_id, true)
  return rows.filter((row) => isStillRead(row) || kept.has(row.id)).sort((a, b) => a.id - b.id)
})
