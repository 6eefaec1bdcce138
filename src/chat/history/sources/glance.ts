/**
 * A first look for a search of all places: at the messages next to the anchor, whatever place they are in. Somebody in a
 * thousand channels mostly holds enough of them, and of the channels nothing has to be read then. It looks at a bounded
 * number of messages, held or not; where too few of them are held, the sources are walked as if it had not been.
 */
import * as Effect from "effect/Effect"
import type { Search } from "../search.ts"
import type { Scope } from "../search-conditions-store.ts"
import type { Source } from "../search-store.ts"
import { cut, type Found, type LookInto } from "../search-walk.ts"

/** Whoever wants more waits for the sources. */
const mostWanted = 110
/** Messages that are looked at: some milliseconds. One in two is held, or the glance was for nothing. */
const rowsFor = (most: number): number => 2 * most + 20

/** Whether many messages are likely to match, of any place. */
const isWide = ({ channels, topic, sender, memberKey, including, direct, message, ...rest }: Search): boolean =>
  [channels, topic, sender, memberKey, direct, message].every((each) => each === null) &&
  [including, rest.flags, rest.parts, rest.words].every((each) => each.length === 0) &&
  rest.isResolved !== true &&
  rest.isFollowed !== true &&
  rest.hasReaction !== true &&
  rest.muting?.wanted !== true

interface Glance<E> {
  readonly scope: Scope
  readonly search: Search
  /** Ids from `low` up to but not including `high`. */
  readonly low: number
  readonly high: number
  readonly order: "asc" | "desc"
  readonly most: number
  readonly mostBytes: number
  readonly lookInto: LookInto<Source, E>
}

/** What `walk` would find; null where that has to be asked. */
export const glance = Effect.fnUntraced(function* <E>(asked: Glance<E>) {
  const { scope, search, low, order, most, mostBytes, lookInto } = asked
  if (scope.user === null || most > mostWanted || !isWide(search)) return null
  const before = scope.head + 1
  const high = Math.min(asked.high, before)
  const source: Source = { kind: "realm", of: 0, low, high, before }
  const rows = rowsFor(most)
  const [looked] = yield* lookInto([{ source, low, high, rows }])
  if (looked === undefined) return null
  const isAll = looked.count < rows
  if (!isAll && looked.found.length < most) return null
  const candidates = cut(
    looked.found.toSorted((a, b) => (order === "desc" ? b.id - a.id : a.id - b.id)),
    most,
    mostBytes,
  )
  return { candidates, isAll: isAll && candidates.length === looked.found.length } satisfies Found
})
