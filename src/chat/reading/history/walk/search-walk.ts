/**
 * Finds the messages nearest to an anchor in many sources at once. A source is a range of messages that the reader may
 * see and that an index holds in the order of ids: a channel they are in, a conversation. So nothing is read that they
 * may not see, and each statement looks at a bounded number of messages, in few milliseconds: between two of them the
 * database does what cannot wait. It is a merge of sorted streams, of which only the nearest are read on. Only knows
 * numbers: search-store.ts knows the tables.
 */
import * as Effect from "effect/Effect"
import { NearestHeap } from "./nearest-heap.ts"

/** Messages looked at by one statement: some 10 ms in the embedded database. */
export const rowsAtOnce = 2000
/** Messages that are looked at first of what a sieve has left. */
const sievedRows = 32
/** Sources that one statement looks at. Each is one search in an index. */
export const sourcesAtOnce = 500
/** Fewest sources that are looked into at first if the nearest message of each is known; otherwise more are. */
const firstSources = 16
/** Most sources that are rather looked into than probed. */
const fewSources = 8
/** Most messages that are looked at in few sources together, rather than that a second look is needed. */
const maxSinglePassRows = 400

/** Ids from `low` up to but not including `high`. */
export interface IdRange {
  readonly low: number
  readonly high: number
}

export interface SearchCandidate {
  readonly id: number
  /** The position at which it came to where it was found: if it is elsewhere by now, nobody has judged that. */
  readonly since: number
  /** About how many bytes it has on the wire. */
  readonly bytes: number
}

/** The messages that one statement is to look at: the next `rows` of a source, from one end of what is left of it. */
export interface SourceStretch<S> extends IdRange {
  readonly source: S
  readonly rows: number
}

/** The result of a look: number of messages, the last of them in walking order, and those that fit the search. */
export interface LookResult {
  readonly count: number
  /** null where there was none. */
  readonly last: number | null
  readonly found: ReadonlyArray<SearchCandidate>
}

/** Answers one `LookResult` for each stretch, in the same order. */
export type LookInto<S, E> = (stretches: ReadonlyArray<SourceStretch<S>>) => Effect.Effect<ReadonlyArray<LookResult>, E>

/** The parts of a source that are worth looking at, and the rest that has still to be sieved. */
export interface SieveResult<S> {
  readonly parts: ReadonlyArray<S & IdRange>
  readonly rest: IdRange | null
}

/** Finds out what of sources may hold what is searched for, so that not all of it has to be looked at. */
export interface SearchSieve<S, E> {
  readonly isFor: (source: S & IdRange) => boolean
  /** Sources that are sieved at a time. */
  readonly batchSize: number
  readonly filter: (
    ranges: ReadonlyArray<{ readonly source: S } & IdRange>,
  ) => Effect.Effect<ReadonlyArray<SieveResult<S>>, E>
}

/**
 * Finds the nearest message of each of many ranges, whether or not it fits the search: of a thousand channels few have
 * messages next to the anchor, and the others need not be looked into.
 */
export interface SearchProbe<S, E> {
  readonly isFor: (source: S & IdRange) => boolean
  /** Sources that are probed at a time. */
  readonly batchSize: number
  /** Answers a message id for each range, in the same order; null where there is no message. */
  readonly findNearest: (
    ranges: ReadonlyArray<{ readonly source: S } & IdRange>,
  ) => Effect.Effect<ReadonlyArray<number | null>, E>
}

export interface SearchWalk<S, E> {
  readonly sources: ReadonlyArray<S & IdRange>
  /** The ids that are looked at in each source. */
  readonly within: IdRange
  /** `desc`: the highest ids first. */
  readonly order: "asc" | "desc"
  /** Most messages that are wanted, and most bytes of them. */
  readonly limit: number
  readonly mostBytes: number
  /** Messages that one statement looks at, where that is fewer than usual. */
  readonly mostRows?: number
  readonly lookInto: LookInto<S, E>
  /** Absent: everything is looked at. */
  readonly sieve?: SearchSieve<S, E> | undefined
  /** Absent: sources are looked into at once. */
  readonly probe?: SearchProbe<S, E> | undefined
}

export interface WalkResult {
  /** The nearest first. */
  readonly candidates: ReadonlyArray<SearchCandidate>
  /** There is nothing beyond them. */
  readonly isAll: boolean
}

/** A source and what is left of it. */
interface RemainingSource<S> {
  readonly source: S & IdRange
  low: number
  high: number
  rows: number
}

/** The stages that a source may need next; the first of these where several are equally near. */
const stages = ["sieve", "probe", "look"] as const
type WalkStage = (typeof stages)[number]

/** The nearest candidates within the bounds. The first is always within. */
export const cutToBounds = (
  sorted: ReadonlyArray<SearchCandidate>,
  limit: number,
  mostBytes: number,
): ReadonlyArray<SearchCandidate> => {
  let bytes = 0
  const end = sorted.findIndex((each, index) => {
    bytes += each.bytes
    return index >= limit || (index > 0 && bytes > mostBytes)
  })
  return end < 0 ? sorted : sorted.slice(0, end)
}

export const walkSources = Effect.fnUntraced(function* <S, E>({
  sources,
  within,
  order,
  limit,
  mostBytes,
  mostRows = rowsAtOnce,
  lookInto,
  sieve,
  probe,
}: SearchWalk<S, E>) {
  const isDescending = order === "desc"
  const nearer = (a: number, b: number): number => (isDescending ? b - a : a - b)
  const edge = ({ low, high }: IdRange): number => (isDescending ? high - 1 : low)
  const areFew = sources.length <= fewSources && sources.length * (limit + 1) <= maxSinglePassRows
  const share = areFew ? limit + 1 : Math.ceil((2 * limit) / Math.max(1, sources.length))
  // Much of what a sieve has left may match: each look costs more than some messages more.
  const sieved =
    sieve === undefined ? 0 : Math.min(sievedRows, mostRows, Math.ceil((4 * mostRows) / Math.max(1, sources.length)))
  // Without conditions this many are enough, if the messages are spread evenly.
  const rows = Math.max(Math.min(mostRows, Math.max(2, share), limit + 1), sieved)
  const lineUp = () => new NearestHeap<RemainingSource<S>>((rest) => (isDescending ? -edge(rest) : edge(rest)))
  const rests = { sieve: lineUp(), probe: lineUp(), look: lineUp() }
  const add = (source: S & IdRange, range: IdRange, isSieved: boolean): void => {
    const low = Math.max(source.low, range.low)
    const high = Math.min(source.high, range.high)
    if (low >= high) return
    const toBeSieved = !isSieved && sieve?.isFor(source) === true
    const stage = toBeSieved ? "sieve" : probe?.isFor(source) === true ? "probe" : "look"
    rests[stage].add({ source, low, high, rows })
  }
  for (const source of sources) add(source, within, false)
  let candidates: ReadonlyArray<SearchCandidate> = []
  /** The nearest message that was left out: those beyond it are not wanted, even if they have fewer bytes. */
  let leftOut: number | undefined

  /** Whether a message with this id would be among the candidates, but for its bytes. */
  const isWanted = (id: number): boolean => {
    const furthest = candidates.length >= limit ? candidates.at(-1)?.id : leftOut
    return furthest === undefined || nearer(id, furthest) < 0
  }

  /** The stage that comes next: that of the nearest source, if it may hold messages that are wanted. */
  const nextStage = (): WalkStage | undefined => {
    let next: { readonly stage: WalkStage; readonly at: number } | undefined
    for (const stage of stages) {
      const first = rests[stage].first
      if (first === undefined) continue
      const at = edge(first)
      if (isWanted(at) && (next === undefined || nearer(at, next.at) < 0)) next = { stage, at }
    }
    return next?.stage
  }

  /** The nearest sources for one statement: those that may hold messages that are wanted. */
  const take = (
    stage: WalkStage,
    atMost: number,
    rowsLeft = Number.POSITIVE_INFINITY,
  ): ReadonlyArray<RemainingSource<S>> => {
    const taken: Array<RemainingSource<S>> = []
    let left = rowsLeft
    for (let next = rests[stage].first; next !== undefined && taken.length < atMost; next = rests[stage].first) {
      left -= next.rows
      if (!isWanted(edge(next)) || (taken.length > 0 && left < 0)) break
      rests[stage].take()
      taken.push(next)
    }
    return taken
  }

  const sieveNearest = Effect.fnUntraced(function* (by: SearchSieve<S, E>) {
    const taken = take("sieve", by.batchSize)
    const sieved = yield* by.filter(taken)
    for (const [index, rest] of taken.entries()) {
      for (const part of sieved[index]?.parts ?? []) add(part, rest, true)
      const left = sieved[index]?.rest
      if (left) rests.sieve.add({ ...rest, ...left })
    }
  })

  const probeNearest = Effect.fnUntraced(function* (by: SearchProbe<S, E>) {
    const taken = take("probe", by.batchSize)
    const isWorthIt = taken.length > fewSources
    const nearest = isWorthIt ? yield* by.findNearest(taken) : taken.map(edge)
    for (const [index, rest] of taken.entries()) {
      const id = nearest[index] ?? null
      if (id === null) continue
      if (isDescending) rest.high = id + 1
      else rest.low = id
      rests.look.add(rest)
    }
  })

  let looksAtOnce = probe === undefined ? sourcesAtOnce : Math.max(firstSources, Math.min(limit, sourcesAtOnce))
  const lookNearest = Effect.fnUntraced(function* () {
    const taken = take("look", looksAtOnce, mostRows)
    looksAtOnce = Math.min(sourcesAtOnce, 2 * looksAtOnce)
    const looked = yield* lookInto(taken)
    const found: Array<SearchCandidate> = []
    for (const [index, rest] of taken.entries()) {
      const { count, last, found: fitting } = looked[index] ?? { count: 0, last: null, found: [] }
      for (const each of fitting) if (isWanted(each.id)) found.push(each)
      if (last === null || count < rest.rows) continue
      if (isDescending) rest.high = last
      else rest.low = last + 1
      rest.rows = Math.min(mostRows, 2 * rest.rows)
      if (rest.low < rest.high) rests.look.add(rest)
    }
    const all = [...candidates, ...found].sort((a, b) => nearer(a.id, b.id))
    // A message that was moved may be in two sources.
    const sorted = all.filter((each, index) => each.id !== all[index - 1]?.id)
    candidates = cutToBounds(sorted, limit, mostBytes)
    leftOut = sorted[candidates.length]?.id ?? leftOut
  })

  for (let stage = nextStage(); stage !== undefined; stage = nextStage()) {
    if (stage === "sieve" && sieve !== undefined) yield* sieveNearest(sieve)
    else if (stage === "probe" && probe !== undefined) yield* probeNearest(probe)
    else yield* lookNearest()
  }
  const isEmpty = stages.every((stage) => rests[stage].first === undefined)
  return { candidates, isAll: leftOut === undefined && isEmpty } satisfies WalkResult
})
