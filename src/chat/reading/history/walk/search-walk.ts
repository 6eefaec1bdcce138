/**
 * Finds the messages nearest to an anchor in many sources at once. A source is a range of messages that the reader may
 * see and that an index holds in the order of ids: a channel they are in, a conversation. So nothing is read that they
 * may not see, and each statement looks at a bounded number of messages, in few milliseconds: between two of them the
 * database does what cannot wait. It is a merge of sorted streams, of which only the nearest are read on. Only knows
 * numbers: search-store.ts knows the tables.
 */
import * as Effect from "effect/Effect"
import { Nearest } from "./nearest.ts"

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
const fewRows = 400

/** Ids from `low` up to but not including `high`. */
export interface IdRange {
  readonly low: number
  readonly high: number
}

export interface Candidate {
  readonly id: number
  /** The position at which it came to where it was found: if it is elsewhere by now, nobody has judged that. */
  readonly since: number
  /** About how many bytes it has on the wire. */
  readonly bytes: number
}

/** The messages that one statement is to look at: the next `rows` of a source, from one end of what is left of it. */
export interface Stretch<S> extends IdRange {
  readonly source: S
  readonly rows: number
}

/** The result of a look: number of messages, the last of them in walking order, and those that fit the search. */
export interface Looked {
  readonly count: number
  /** null where there was none. */
  readonly last: number | null
  readonly found: ReadonlyArray<Candidate>
}

/** Answers one `Looked` for each stretch, in the same order. */
export type LookInto<S, E> = (stretches: ReadonlyArray<Stretch<S>>) => Effect.Effect<ReadonlyArray<Looked>, E>

/** The parts of a source that are worth looking at, and the rest that has still to be sieved. */
export interface Sieved<S> {
  readonly parts: ReadonlyArray<S & IdRange>
  readonly rest: IdRange | null
}

/** Finds out what of sources may hold what is searched for, so that not all of it has to be looked at. */
export interface Sieve<S, E> {
  readonly isFor: (source: S & IdRange) => boolean
  /** Sources that are sieved at a time. */
  readonly most: number
  readonly look: (ranges: ReadonlyArray<{ readonly source: S } & IdRange>) => Effect.Effect<ReadonlyArray<Sieved<S>>, E>
}

/**
 * Finds the nearest message of each of many ranges, whether or not it fits the search: of a thousand channels few have
 * messages next to the anchor, and the others need not be looked into.
 */
export interface Probe<S, E> {
  readonly isFor: (source: S & IdRange) => boolean
  /** Sources that are probed at a time. */
  readonly most: number
  /** Answers a message id for each range, in the same order; null where there is no message. */
  readonly look: (
    ranges: ReadonlyArray<{ readonly source: S } & IdRange>,
  ) => Effect.Effect<ReadonlyArray<number | null>, E>
}

export interface Walk<S, E> {
  readonly sources: ReadonlyArray<S & IdRange>
  /** The ids that are looked at in each source. */
  readonly within: IdRange
  /** `desc`: the highest ids first. */
  readonly order: "asc" | "desc"
  /** Most messages that are wanted, and most bytes of them. */
  readonly most: number
  readonly mostBytes: number
  /** Messages that one statement looks at, where that is fewer than usual. */
  readonly mostRows?: number
  readonly lookInto: LookInto<S, E>
  /** Absent: everything is looked at. */
  readonly sieve?: Sieve<S, E> | undefined
  /** Absent: sources are looked into at once. */
  readonly probe?: Probe<S, E> | undefined
}

export interface Found {
  /** The nearest first. */
  readonly candidates: ReadonlyArray<Candidate>
  /** There is nothing beyond them. */
  readonly isAll: boolean
}

/** A source and what is left of it. */
interface Rest<S> {
  readonly source: S & IdRange
  low: number
  high: number
  rows: number
}

/** The stages that a source may need next; the first of these where several are equally near. */
const stages = ["sieve", "probe", "look"] as const
type Stage = (typeof stages)[number]

/** The nearest candidates within the bounds. The first is always within. */
export const cut = (sorted: ReadonlyArray<Candidate>, most: number, mostBytes: number): ReadonlyArray<Candidate> => {
  let bytes = 0
  const end = sorted.findIndex((each, index) => {
    bytes += each.bytes
    return index >= most || (index > 0 && bytes > mostBytes)
  })
  return end < 0 ? sorted : sorted.slice(0, end)
}

export const walk = Effect.fnUntraced(function* <S, E>({
  sources,
  within,
  order,
  most,
  mostBytes,
  mostRows = rowsAtOnce,
  lookInto,
  sieve,
  probe,
}: Walk<S, E>) {
  const isDescending = order === "desc"
  const nearer = (a: number, b: number): number => (isDescending ? b - a : a - b)
  const edge = ({ low, high }: IdRange): number => (isDescending ? high - 1 : low)
  const areFew = sources.length <= fewSources && sources.length * (most + 1) <= fewRows
  const share = areFew ? most + 1 : Math.ceil((2 * most) / Math.max(1, sources.length))
  // Much of what a sieve has left may match: each look costs more than some messages more.
  const sieved =
    sieve === undefined ? 0 : Math.min(sievedRows, mostRows, Math.ceil((4 * mostRows) / Math.max(1, sources.length)))
  // Without conditions this many are enough, if the messages are spread evenly.
  const rows = Math.max(Math.min(mostRows, Math.max(2, share), most + 1), sieved)
  const lineUp = () => new Nearest<Rest<S>>((rest) => (isDescending ? -edge(rest) : edge(rest)))
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
  let candidates: ReadonlyArray<Candidate> = []
  /** The nearest message that was left out: those beyond it are not wanted, even if they have fewer bytes. */
  let leftOut: number | undefined

  /** Whether a message with this id would be among the candidates, but for its bytes. */
  const isWanted = (id: number): boolean => {
    const furthest = candidates.length >= most ? candidates.at(-1)?.id : leftOut
    return furthest === undefined || nearer(id, furthest) < 0
  }

  /** The stage that comes next: that of the nearest source, if it may hold messages that are wanted. */
  const nextStage = (): Stage | undefined => {
    let next: { readonly stage: Stage; readonly at: number } | undefined
    for (const stage of stages) {
      const first = rests[stage].first
      if (first === undefined) continue
      const at = edge(first)
      if (isWanted(at) && (next === undefined || nearer(at, next.at) < 0)) next = { stage, at }
    }
    return next?.stage
  }

  /** The nearest sources for one statement: those that may hold messages that are wanted. */
  const take = (stage: Stage, atMost: number, rowsLeft = Number.POSITIVE_INFINITY): ReadonlyArray<Rest<S>> => {
    const taken: Array<Rest<S>> = []
    let left = rowsLeft
    for (let next = rests[stage].first; next !== undefined && taken.length < atMost; next = rests[stage].first) {
      left -= next.rows
      if (!isWanted(edge(next)) || (taken.length > 0 && left < 0)) break
      rests[stage].take()
      taken.push(next)
    }
    return taken
  }

  const sieveNearest = Effect.fnUntraced(function* (by: Sieve<S, E>) {
    const taken = take("sieve", by.most)
    const sieved = yield* by.look(taken)
    for (const [index, rest] of taken.entries()) {
      for (const part of sieved[index]?.parts ?? []) add(part, rest, true)
      const left = sieved[index]?.rest
      if (left) rests.sieve.add({ ...rest, ...left })
    }
  })

  const probeNearest = Effect.fnUntraced(function* (by: Probe<S, E>) {
    const taken = take("probe", by.most)
    const isWorthIt = taken.length > fewSources
    const nearest = isWorthIt ? yield* by.look(taken) : taken.map(edge)
    for (const [index, rest] of taken.entries()) {
      const id = nearest[index] ?? null
      if (id === null) continue
      if (isDescending) rest.high = id + 1
      else rest.low = id
      rests.look.add(rest)
    }
  })

  let looksAtOnce = probe === undefined ? sourcesAtOnce : Math.max(firstSources, Math.min(most, sourcesAtOnce))
  const lookNearest = Effect.fnUntraced(function* () {
    const taken = take("look", looksAtOnce, mostRows)
    looksAtOnce = Math.min(sourcesAtOnce, 2 * looksAtOnce)
    const looked = yield* lookInto(taken)
    const found: Array<Candidate> = []
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
    candidates = cut(sorted, most, mostBytes)
    leftOut = sorted[candidates.length]?.id ?? leftOut
  })

  for (let stage = nextStage(); stage !== undefined; stage = nextStage()) {
    if (stage === "sieve" && sieve !== undefined) yield* sieveNearest(sieve)
    else if (stage === "probe" && probe !== undefined) yield* probeNearest(probe)
    else yield* lookNearest()
  }
  const isEmpty = stages.every((stage) => rests[stage].first === undefined)
  return { candidates, isAll: leftOut === undefined && isEmpty } satisfies Found
})
