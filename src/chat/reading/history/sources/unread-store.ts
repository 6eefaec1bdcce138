/**
 * Places of a reader's unread messages: of each channel that they are in, and of each conversation, the ranges of ids
 * that they have not read, of messages that were sent there. Some that they had read from the start may lie between,
 * others not. See chat/reading/flags/read-state.sql for what is stored; it is read in short statements, some places at
 * a time.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import { fromColumns, inColumns } from "../../../../db/rows-in-columns.ts"
import { forEachInSlices } from "../../../../slices.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import type { IdRange } from "../walk/search-walk.ts"
import { placeNumber } from "./place-number.ts"
import { type SourceKind, sourceKinds } from "./source-kinds-store.ts"

const endless = Number.MAX_SAFE_INTEGER
const spansAtOnce = 2000
const rowsAtOnce = 2000

const readFloor = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ floor: Schema.Number })]))
const floorSql = "select read_floor_v1($1::integer, $2::integer) as floor"

const readSpans = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      channel_id: Schema.Number,
      opened: Schema.Number,
      is_asked: Schema.Boolean,
      has_moved: Schema.Boolean,
    }),
  ),
)
// Ordered, because else all moved messages may be read for one channel's.
const hasMoved = `(select m.id from message m
    where m.realm_id = $1::integer and m.moved_from = s.channel_id order by m.id limit 1) is not null`
// Messages that were sent in any channel may have been moved into one that is asked for.
const spansSql = inColumns(
  ["channel_id", "opened", "is_asked", "has_moved"],
  `select * from (
    select s.channel_id, s.opened, ${hasMoved} as has_moved, $3::text is null or s.channel_id in (
        select each::integer from jsonb_array_elements_text($3::text::jsonb) as each) as is_asked
      from subscription_span s
     where s.realm_id = $1::integer and s.user_id = $2::integer and s.closed is null and s.channel_id > $4::integer
  ) as s where s.is_asked or s.has_moved order by s.channel_id limit ${spansAtOnce}`,
)

const readRows = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ place: Schema.Number, low: Schema.Number, ranges: Schema.String })),
)
const rangesSql = inColumns(
  ["place", "low", "ranges"],
  `select r.place, r.low, r.ranges::text as ranges from read_ranges r
  where r.realm_id = $1::integer and r.user_id = $2::integer and (r.place, r.low) > ($3::bigint, $4::bigint)
  order by r.place, r.low limit ${rowsAtOnce}`,
)

const bounds = /\[(\d+),(\d+)\)/g
const rangesIn = (text: string): ReadonlyArray<IdRange> =>
  Array.from(text.matchAll(bounds), ([, low, high]) => ({ low: Number(low), high: Number(high) }))

/** The parts of `whole` that are in none of the ranges, which rise. */
export const gapsBetween = (whole: IdRange, ranges: Iterable<IdRange>): ReadonlyArray<IdRange> => {
  const gaps: Array<IdRange> = []
  let from = whole.low
  for (const { low, high } of ranges) {
    if (low > from) gaps.push({ low: from, high: Math.min(low, whole.high) })
    from = Math.max(from, high)
    if (from >= whole.high) return gaps
  }
  gaps.push({ low: from, high: whole.high })
  return gaps
}

/** The ranges of ids that the reader has read, by place. */
const findRanges = Effect.fnUntraced(function* (reading: UserRead, { realm, user }: SearchScope) {
  const found = new Map<number, Array<IdRange>>()
  for (let [place, low] = [-1, -1]; ; ) {
    const rows = readRows(fromColumns(yield* reading.query(rangesSql, [realm, user, place, low], "generic")))
    place = rows.at(-1)?.place ?? place
    low = rows.at(-1)?.low ?? low
    yield* forEachInSlices(rows, (row) => {
      const ranges = found.get(row.place) ?? []
      found.set(row.place, ranges)
      for (const each of rangesIn(row.ranges)) ranges.push(each)
    })
    if (rows.length < rowsAtOnce) return found
  }
})

const findOpenSpans = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: SearchScope,
  channels: ReadonlyArray<number> | null,
) {
  const asked = channels === null ? null : JSON.stringify(channels)
  const found: Array<ReturnType<typeof readSpans>[number]> = []
  for (let last = -1; ; ) {
    const rows = readSpans(fromColumns(yield* reading.query(spansSql, [realm, user, asked, last], "generic")))
    for (const row of rows) found.push(row)
    if (rows.length < spansAtOnce) return found
    last = rows.at(-1)?.channel_id ?? last
  }
})

export interface UnreadPlace {
  /** The kind of place, whose id is `of`: for what was moved out of a channel, `of` is that channel. */
  readonly kind: SourceKind
  readonly of: number
  /** The newest ones, ascending. */
  readonly gaps: ReadonlyArray<IdRange>
  /** The ids before them, where there are more gaps: some of these have been read. */
  readonly older: IdRange | null
}

/** The gaps of a place that are looked into each by itself. Somebody may read every second message. */
const mostApart = 100

/** `channels`: only these; null: all. */
export const findUnreadPlaces = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  channels: ReadonlyArray<number> | null,
  conversations: ReadonlyArray<number>,
) {
  const [{ floor }] = readFloor(yield* reading.query(floorSql, [scope.realm, scope.user], "generic"))
  const spans = channels?.length === 0 ? [] : yield* findOpenSpans(reading, scope, channels)
  const ranges = yield* findRanges(reading, scope)
  const placeOf = (kind: SourceKind, of: number, opened: number): UnreadPlace => {
    const place = placeNumber(kind.place ?? "channel", of)
    const whole = { low: Math.max(opened, floor + 1), high: endless }
    const gaps = gapsBetween(whole, ranges.get(place) ?? [])
    const newest = gaps.slice(-mostApart)
    const high = newest[0]?.low ?? whole.low
    return { kind, of, gaps: newest, older: gaps.length === newest.length ? null : { low: whole.low, high } }
  }
  return [
    ...spans.flatMap(({ channel_id, opened, is_asked, has_moved }) => [
      ...(is_asked ? [placeOf(sourceKinds.channel, channel_id, opened)] : []),
      ...(has_moved ? [placeOf(sourceKinds.movedAway, channel_id, opened)] : []),
    ]),
    ...conversations.map((id) => placeOf(sourceKinds.conversation, id, id)),
  ]
})
