/**
 * A reader's subscription spans, by channel, for a search (search-store.ts). Whoever leaves a channel and comes back
 * makes a span each time, a hundred with one request: so they are read some at a time, and a channel counts for a few,
 * however often somebody came and went.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import { column, inColumns } from "../../../../db/rows-in-columns.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import type { IdRange } from "../walk/search-walk.ts"

/** A stored range without an end. Above every position, and exact as a number. */
const endless = Number.MAX_SAFE_INTEGER
/** Spans that one statement reads. */
const spansAtOnce = 2000
/** Spans of a channel that are searched each by itself, so that nothing between them is looked at: the newest ones. */
const mostApart = 8

const columns = {
  channel_id: column(Schema.Number),
  opened: column(Schema.Number),
  reads_from: column(Schema.Number),
  closed: column(Schema.NullOr(Schema.Number)),
  has_moved: column(Schema.Boolean),
}
const readSpans = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct(columns)]))

// Ordered, because else the whole table may be read for what few channels have: the index of moved messages is in order.
const hasMoved = `(select m.id from message m
    where m.realm_id = $1::integer and m.channel_id = s.channel_id and m.channel_since <> m.id
    order by m.id limit 1) is not null`
// $4, $5: the last span of the statement before.
const spansSql = inColumns(
  Object.keys(columns),
  `select s.channel_id, s.opened, s.reads_from, s.closed, ${hasMoved} as has_moved from subscription_span s
  where s.realm_id = $1::integer and s.user_id = $2::integer
    and ($3::text is null or s.channel_id in (
      select each::integer from jsonb_array_elements_text($3::text::jsonb) as each))
    and s.channel_id >= $4::integer and (s.channel_id, s.opened) > ($4::integer, $5::bigint)
  order by s.channel_id, s.opened limit ${spansAtOnce}`,
)

export interface ReaderSpans {
  /** From the beginning of the oldest span to the end of the last one that is not in `apart`; null where all are. */
  older: IdRange | null
  /** In ascending order. */
  readonly apart: Array<IdRange>
  /** Whether messages were moved into the channel, so that there may be some with ids from before a span. */
  readonly hasMoved: boolean
}

/** The spans of the reader in these channels; null: in all. */
export const findSpans = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: Pick<SearchScope, "realm" | "user">,
  channels: ReadonlyArray<number> | null,
) {
  const asked = channels === null ? null : JSON.stringify(channels)
  const found = new Map<number, ReaderSpans>()
  for (let [channel, opened] = [-1, -1]; ; ) {
    const [read]: ReturnType<typeof readSpans> = readSpans(
      yield* reading.query(spansSql, [realm, user, asked, channel, opened], "generic"),
    )
    for (const [n, of] of read.channel_id.entries()) {
      const spans = found.get(of) ?? { older: null, apart: [], hasMoved: read.has_moved[n] === true }
      found.set(of, spans)
      spans.apart.push({ low: read.reads_from[n] ?? endless, high: read.closed[n] ?? endless })
      const old = spans.apart.length > mostApart ? spans.apart.shift() : undefined
      if (old !== undefined) spans.older = { low: spans.older?.low ?? old.low, high: old.high }
    }
    channel = read.channel_id.at(-1) ?? channel
    opened = read.opened.at(-1) ?? opened
    if (read.channel_id.length < spansAtOnce) return found
  }
})

const readLeft = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ channel_id: Schema.Number })))
// The first condition is asked once: mostly nobody keeps anything.
const leftSql = `select distinct s.channel_id from subscription_span s
  where (select k.message_id from kept_place k where k.realm_id = $1::integer limit 1) is not null
    and s.realm_id = $1::integer and s.user_id = $2::integer and (select k.message_id from kept_place k
      where k.realm_id = $1::integer and k.channel_id = s.channel_id order by k.message_id limit 1) is not null
  order by s.channel_id`

/** The channels of the reader that messages have left which their people keep. */
export const findKeptFrom = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: Pick<SearchScope, "realm" | "user">,
) {
  return readLeft(yield* reading.query(leftSql, [realm, user], "generic")).map(({ channel_id }) => channel_id)
})
