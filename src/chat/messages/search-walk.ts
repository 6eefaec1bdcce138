/**
 * Finds the messages nearest to an anchor in many sources at once. A source is a range of messages that the reader may
 * see and that an index holds in the order of ids: a channel they are in, a conversation. So nothing is read that they
 * may not see, and each statement looks at a bounded number of messages, in few milliseconds: between two of them the
 * database does what cannot wait. Only knows numbers: search-store.ts knows the tables.
 */
import * as Effect from "effect/Effect"

/** Messages looked at by one statement: some 10 ms in the embedded database. */
export const rowsAtOnce = 2000
/** Sources that one statement looks at. Each is one search in an index. */
export const sourcesAtOnce = 500

/** Ids from `low` up to but not including `high`. */
export interface IdRange {
  readonly low: number
  readonly high: number
}

export interface Candidate {
  readonly id: number
  /** About how many bytes it has on the wire. */
  readonly bytes: number
}

/** What one statement is to look at: the next `rows` messages of a source, from one end of what is left of it. */
export interface Look<S> extends IdRange {
  readonly source: S
  readonly rows: number
}

/** What it found: how many there were, which of them was the last in walking order, and those that fit the search. */
export interface Looked {
  readonly count: number
  /** null where there was none. */
  readonly last: number | null
  readonly found: ReadonlyArray<Candidate>
}

/** Answers one `Looked` for each look, in the same order. */
export type LookInto<S, E> = (looks: ReadonlyArray<Look<S>>) => Effect.Effect<ReadonlyArray<Looked>, E>

export interface Walk<S, E> {
  readonly sources: ReadonlyArray<S & IdRange>
  /** `desc`: the highest ids first. */
  readonly order: "asc" | "desc"
  /** How many messages, and how many bytes of them, are wanted at most. */
  readonly most: number
  readonly mostBytes: number
  readonly lookInto: LookInto<S, E>
}

export interface Found {
  /** The nearest first. */
  readonly candidates: ReadonlyArray<Candidate>
  /** There is nothing beyond them. */
  readonly isAll: boolean
}

/** A source and what is left of it. */
interface Rest<S> {
  readonly source: S
  low: number
  high: number
  rows: number
}

/** The nearest candidates within the bounds. The first is always within. */
const cut = (sorted: ReadonlyArray<Candidate>, most: number, mostBytes: number): ReadonlyArray<Candidate> => {
  let bytes = 0
  const end = sorted.findIndex((each, index) => {
    bytes += each.bytes
    return index >= most || (index > 0 && bytes > mostBytes)
  })
  return end < 0 ? sorted : sorted.slice(0, end)
}

export const walk = Effect.fnUntraced(function* <S, E>({ sources, order, most, mostBytes, lookInto }: Walk<S, E>) {
  const isDescending = order === "desc"
  const nearer = (a: number, b: number): number => (isDescending ? b - a : a - b)
  const edge = ({ low, high }: IdRange): number => (isDescending ? high - 1 : low)
  // Without conditions this many are enough, if the messages are spread evenly.
  const rows = Math.min(rowsAtOnce, Math.max(2, Math.ceil((2 * most) / Math.max(1, sources.length))), most + 1)
  let rests: ReadonlyArray<Rest<S>> = sources.flatMap((source) =>
    source.low < source.high ? [{ source, low: source.low, high: source.high, rows }] : [],
  )
  let candidates: ReadonlyArray<Candidate> = []
  let isCut = false

  /** The sources that may hold messages nearer than the furthest one that is wanted, the nearest first. */
  const pending = (): ReadonlyArray<Rest<S>> => {
    const furthest = isCut || candidates.length >= most ? candidates.at(-1) : undefined
    const useful = rests.filter((rest) => furthest === undefined || nearer(edge(rest), furthest.id) < 0)
    return useful.sort((a, b) => nearer(edge(a), edge(b)))
  }

  const take = (line: ReadonlyArray<Rest<S>>): ReadonlyArray<Rest<S>> => {
    let left = rowsAtOnce
    return line.slice(0, sourcesAtOnce).filter((rest, index) => {
      left -= rest.rows
      return index === 0 || left >= 0
    })
  }

  for (let line = pending(); line.length > 0; line = pending()) {
    const taken = take(line)
    const looked = yield* lookInto(taken)
    const ended = new Set<Rest<S>>()
    const found: Array<Candidate> = []
    for (const [index, rest] of taken.entries()) {
      const { count, last, found: fitting } = looked[index] ?? { count: 0, last: null, found: [] }
      found.push(...fitting)
      if (last === null || count < rest.rows) ended.add(rest)
      else if (isDescending) rest.high = last
      else rest.low = last + 1
      rest.rows = Math.min(rowsAtOnce, 2 * rest.rows)
    }
    rests = rests.filter((rest) => !ended.has(rest) && rest.low < rest.high)
    const all = [...candidates, ...found].sort((a, b) => nearer(a.id, b.id))
    // A message that was moved may be in two sources.
    const sorted = all.filter((each, index) => each.id !== all[index - 1]?.id)
    candidates = cut(sorted, most, mostBytes)
    isCut ||= candidates.length < sorted.length
  }
  return { candidates, isAll: !isCut && rests.length === 0 } satisfies Found
})
