/**
 * Reads messages from the database: finds out which ones, by searches that read nothing that the reader may not see
 * (search-store.ts, search-walk.ts), and then loads them in parts. No statement of either takes long, whatever is
 * asked for.
 */
import * as Effect from "effect/Effect"
import type { UserRead } from "../../../db/reads.ts"
import { probeBy } from "./sources/probe-store.ts"
import { rowsPerStatement } from "./sources/rows-per-statement.ts"
import { areCommonWords, firstUnreadBound, scanNearAnchor } from "./sources/scan-near-anchor.ts"
import { findSources, lookInto } from "./sources/search-store.ts"
import { findIndexed, type IndexProgress, keysOf, nothingIndexed, sieveBy, splitByIndex } from "./texts/sieve-store.ts"
import { withinPolicies } from "./topic-policies-store.ts"
import { readSearch } from "./walk/search.ts"
import type { SearchScope } from "./walk/search-conditions-store.ts"
import { type SearchCandidate, type WalkResult, walkSources } from "./walk/search-walk.ts"
import { withWords } from "./walk/texts-store.ts"

export type { SearchScope as Scope } from "./walk/search-conditions-store.ts"

/** Up to `before` messages below the anchor, the anchor itself if `withAnchor`, up to `after` above it. */
export interface MessageRange {
  readonly anchor: number
  readonly before: number
  readonly withAnchor: boolean
  readonly after: number
}

/** Which messages an answer has, in ascending order of ids. */
export interface FoundMessages {
  readonly candidates: ReadonlyArray<SearchCandidate>
  readonly foundAnchor: boolean
  /** Whether fewer were found on that side than were asked for, because there are no more. */
  readonly endsBefore: boolean
  readonly endsAfter: boolean
}

const noMessagesFound: FoundMessages = { candidates: [], foundAnchor: false, endsBefore: true, endsAfter: true }

/**
 * Takes from both sides in turns until the bytes are used up; at least one message. Answers how many of each side.
 */
const share = (
  before: ReadonlyArray<SearchCandidate>,
  after: ReadonlyArray<SearchCandidate>,
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

/** The messages that were found on one side of the anchor, without the anchor itself: at most as many as are wanted. */
const apart = ({ candidates, isAll }: WalkResult, anchor: number, most: number): WalkResult => {
  const others = candidates[0]?.id === anchor ? candidates.slice(1) : candidates
  return others.length > most ? { candidates: others.slice(0, most), isAll: false } : { candidates: others, isAll }
}

/**
 * The messages around an anchor that match and that the user may see, as many as have `mostBytes`, those next to the
 * anchor first. `rendered`: whether the bytes of the rendered or of the typed text count.
 */
export const findMessages = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: SearchScope,
  { anchor, before, withAnchor, after }: MessageRange,
  { rendered, mostBytes }: { readonly rendered: boolean; readonly mostBytes: number },
) {
  const read = readSearch(scope.narrow.conditions)
  if (read === null) return noMessagesFound
  const search = yield* withWords(reading, yield* withinPolicies(reading, scope, read))
  if (search === null) return noMessagesFound
  const keys = keysOf(search)
  const isSieved = keys.newer.length > 0
  const mostRows = rowsPerStatement(search)
  const only = search.message
  const find = yield* Effect.cached(
    // Neither is newer than the other by anything that matters: what is not in the index is walked.
    Effect.all(
      {
        indexed: isSieved ? findIndexed(reading, scope) : Effect.succeed(nothingIndexed),
        sources: findSources(reading, scope, search),
      },
      { concurrency: 2 },
    ).pipe(Effect.map(({ indexed, sources }) => ({ indexed, sources: splitByIndex(sources, indexed) }))),
  )
  const side = Effect.fnUntraced(function* (low: number, high: number, order: "asc" | "desc", most: number) {
    const look = lookInto(reading, scope, search, order, rendered)
    const sieveUpTo = (indexed: IndexProgress) => sieveBy(reading, scope, keys, indexed, order)
    const areCommon = Effect.flatMap(find, ({ indexed, sources }) =>
      isSieved ? areCommonWords(sources, sieveUpTo(indexed)) : Effect.succeed(false),
    )
    const begin = Effect.map(find, ({ sources }) => firstUnreadBound(sources))
    const near = yield* scanNearAnchor({
      scope,
      search,
      low,
      high,
      order,
      most,
      mostBytes,
      lookInto: look,
      areCommon,
      begin,
    })
    if (near !== null) return near
    const { indexed, sources } = yield* find
    return yield* walkSources({
      sources,
      within: only === null ? { low, high } : { low: Math.max(low, only), high: Math.min(high, only + 1) },
      order,
      limit: most,
      mostBytes,
      ...(mostRows === undefined ? {} : { mostRows }),
      probe: probeBy(reading, scope, search, order),
      sieve: isSieved ? sieveUpTo(indexed) : undefined,
      lookInto: look,
    })
  })
  // The anchor is looked for together with what is on one side of it, because a side costs a step into each source.
  const withAbove = withAnchor && (after > 0 || before === 0)
  const withBelow = withAnchor && !withAbove
  const nothing: WalkResult = { candidates: [], isAll: true }
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
