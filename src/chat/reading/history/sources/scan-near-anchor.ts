/**
 * A first look for a search of all places: at the messages next to the anchor, whatever place they are in. Somebody in a
 * thousand channels mostly holds enough of them, and of the channels nothing has to be read then. It looks at a bounded
 * number of messages, held or not; where too few of them match, the sources are walked as if it had not been. Words are
 * looked for so only where more than half of a sample of the sources has them; the oldest unread message from where the first of
 * the sources begins, because most people have read nearly everything.
 */
import * as Effect from "effect/Effect"
import type { Search } from "../walk/search.ts"
import type { SearchScope } from "../walk/search-conditions-store.ts"
import {
  cutToBounds,
  type LookInto,
  type SearchCandidate,
  type SearchSieve,
  type WalkResult,
} from "../walk/search-walk.ts"
import { hasPhrases } from "../walk/texts-store.ts"
import { type SearchSource, sourceKinds } from "./source-kinds-store.ts"

/** Whoever wants more waits for the sources. */
const mostWanted = 110
/** Messages that are looked at: some milliseconds. One in two is held, or the glance was for nothing. */
const rowsFor = (most: number): number => 2 * most + 20
/** With words fewer match, and whether one does costs more: so there are some looks, each at what a search looks at at once. */
const rowsForWords = (most: number): number => Math.min(400, 8 * most)
const looksForWords = 5

/** So few sources are rather walked at once. */
const fewSources = 64
const sampled = 16

/** Whether in most of a sample of the sources the words stand in many messages. */
export const areCommonWords = Effect.fnUntraced(function* <E>(
  sources: ReadonlyArray<SearchSource>,
  { isFor, filter }: Pick<SearchSieve<SearchSource, E>, "isFor" | "filter">,
) {
  if (sources.length < fewSources) return false
  const step = Math.floor(sources.length / sampled)
  const sample = sources.filter((source, n) => n % step === 0 && isFor(source))
  const sieved = yield* filter(sample.map((source) => ({ source, low: source.low, high: source.high })))
  const common = sieved.filter(({ parts }) => parts.some(({ listed }) => listed === undefined))
  return common.length > sample.length / 2
})

/** Whether many messages are likely to match, of any place; `words` aside. */
const isWide = ({ channels, topic, sender, memberKey, including, direct, message, ...rest }: Search): boolean =>
  [channels, topic, sender, memberKey, direct, message].every((each) => each === null) &&
  [including, rest.parts].every((each) => each.length === 0) &&
  rest.flags.every((flag) => flag === "unread") &&
  rest.isResolved !== true &&
  rest.isFollowed !== true &&
  rest.hasReaction !== true &&
  rest.muting?.wanted !== true

interface AnchorScan<E> {
  readonly scope: SearchScope
  readonly search: Search
  /** Ids from `low` up to but not including `high`. */
  readonly low: number
  readonly high: number
  readonly order: "asc" | "desc"
  readonly most: number
  readonly mostBytes: number
  readonly lookInto: LookInto<SearchSource, E>
  /** Asked where there are words: whether many messages have them. */
  readonly areCommon: Effect.Effect<boolean, E>
  /** Asked where something unread is looked for: below this id only the reader's own rows know of some. */
  readonly begin: Effect.Effect<number, E>
}

/** The lowest id at which one of the sources begins, the reader's own rows aside. */
export const firstUnreadBound = (sources: ReadonlyArray<SearchSource>): number =>
  sources.reduce((first, { kind, low }) => (kind.isOwn ? first : Math.min(first, low)), Number.MAX_SAFE_INTEGER)

/** The messages that `walk` would find; null where that has to be asked. */
export const scanNearAnchor = Effect.fnUntraced(function* <E>(asked: AnchorScan<E>) {
  const { scope, search, order, most, mostBytes, lookInto } = asked
  if (scope.user === null || most > mostWanted || !isWide(search)) return null
  const hasWords = search.words.length > 0
  if (hasWords && (hasPhrases(search) || !(yield* asked.areCommon))) return null
  const before = scope.head + 1
  const end = Math.min(asked.high, before)
  const isOldestUnread = search.flags.length > 0 && order === "asc"
  const begin = isOldestUnread ? Math.min(end, Math.max(asked.low, yield* asked.begin)) : asked.low
  const source: SearchSource = { kind: sourceKinds.realm, of: 0, low: begin, high: end, before }
  const own: SearchSource = { kind: sourceKinds.personal, of: 0, low: asked.low, high: begin, before }
  const rows = hasWords ? rowsForWords(most) : rowsFor(most)
  const found: Array<SearchCandidate> = []
  let { low, high } = source
  for (let looks = hasWords ? looksForWords : 1; looks > 0; looks--) {
    const ownLook = begin > asked.low ? [{ source: own, low: own.low, high: own.high, rows }] : []
    const [looked, ofOwn] = yield* lookInto([{ source, low, high, rows }, ...ownLook])
    if (looked === undefined || (ofOwn !== undefined && ofOwn.count >= rows)) return null
    for (const each of [...looked.found, ...(ofOwn?.found ?? [])]) found.push(each)
    const isAll = looked.count < rows
    if (isAll || found.length >= most) {
      const sorted = found.toSorted((a, b) => (order === "desc" ? b.id - a.id : a.id - b.id))
      const candidates = cutToBounds(sorted, most, mostBytes)
      return { candidates, isAll: isAll && candidates.length === found.length } satisfies WalkResult
    }
    if (looked.last === null) return null
    if (order === "desc") high = looked.last
    else low = looked.last + 1
  }
  return null
})
