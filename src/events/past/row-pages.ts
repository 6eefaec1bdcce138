/**
 * Pages of a realm's log that are older than the ring, read from the database and shared by all queues that lack them:
 * a thousand clients that were away for as long read each page once. A page begins at a multiple of `pageRows`, or where
 * the one before it ended for its bytes. The pages that were used last are kept, within a bound.
 */
import type { LogRow } from "../event.ts"
import type { LogPage } from "../log.ts"
import { RowPage } from "./row-page.ts"

/** The outcome of wanting a page. `gap`: the log no longer holds the row; `unavailable`: it cannot be read now. */
export type PageOutcome = RowPage | "gap" | "unavailable"

export interface PagesOptions {
  readonly limitBytes: number
  /** The newest position that may be read. */
  readonly head: () => number
  /** Reads rows (after, through] of the log, as many as a page may have; null when the database cannot be asked. */
  readonly fetch: (after: number, through: number, done: (page: LogPage | null) => void) => void
  readonly pageRows?: number
  readonly fetchesAtOnce?: number
  readonly newPage?: (after: number) => RowPage
}

/** Decoding as many rows takes 3 ms, three times that in a new process, and two pages may come in one turn of the loop. */
const defaultPageRows = 128
/** Statements under way at a time: more would delay other reads. */
const defaultFetchesAtOnce = 2

/** Ends of pages that are remembered: of a million long messages. */
const mostEnds = 100_000

interface WantedPage {
  readonly position: number
  readonly done: (outcome: PageOutcome) => void
}

interface CachedPage {
  readonly page: RowPage
  used: number
}

export class RowPages {
  readonly #options: PagesOptions
  readonly #pageRows: number
  /** By the position after which they begin. */
  readonly #kept = new Map<number, CachedPage>()
  /** Ends of the pages that were read, those that have been forgotten too: what lies before a row need not be read. */
  readonly #ends = new Map<number, number>()
  #bytes = 0
  /** Counts uses; the page with the lowest was used the longest ago. */
  #uses = 0
  /** The value of `#uses` at the last `sweep`. */
  #swept = 0
  /** The oldest position that the log holds, as far as it is known. */
  #oldest = 1
  /** Wishes for the page after a position; the first are being read, the others wait. */
  readonly #wishes = new Map<number, Array<WantedPage>>()
  readonly #line: Array<number> = []
  /** The pages that are being read: which rows each will hold, and whether one of them has changed meanwhile. */
  readonly #fetching = new Set<{ readonly after: number; readonly through: number; isStale: boolean }>()

  constructor(options: PagesOptions) {
    this.#options = options
    this.#pageRows = options.pageRows ?? defaultPageRows
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether the log is known to have forgotten the row. */
  isGone(position: number): boolean {
    return position < this.#oldest
  }

  /** The page that holds the row at this position, if it is in memory. */
  find(position: number): RowPage | undefined {
    const at = this.#walk(position)
    return typeof at === "number" ? undefined : at
  }

  /** Reads the page that holds the row at this position. Calls `done`, which must not throw, once, later. */
  want(position: number, done: (outcome: PageOutcome) => void): void {
    const at = this.#walk(position)
    this.#ask(typeof at === "number" ? at : at.after, { position, done })
  }

  /** Encoded bytes of a row count against the bound too. */
  grew(row: LogRow, bytes: number): void {
    if (this.find(row.position)?.grew(row, bytes) !== true) return
    this.#bytes += bytes
    this.#shrink(null)
  }

  /** The log has pruned the rows below this position. */
  prune(position: number): void {
    this.#oldest = Math.max(this.#oldest, position)
    for (const [after, { page }] of this.#kept) if (page.through < position) this.#drop(after)
  }

  /** Forgets the pages that hold one of these rows, which have changed in the database; one that is being read is read again. */
  forget(positions: ReadonlyArray<number>): void {
    const holdsOne = ({ after, through }: { readonly after: number; readonly through: number }): boolean =>
      positions.some((position) => position > after && position <= through)
    for (const [after, { page }] of this.#kept) if (holdsOne(page)) this.#drop(after)
    for (const reading of this.#fetching) if (holdsOne(reading)) reading.isStale = true
  }

  /** Forgets what nobody has used since the last call. */
  sweep(): void {
    for (const [after, { used }] of this.#kept) if (used <= this.#swept) this.#drop(after)
    this.#swept = this.#uses
  }

  /** The page that holds the row, or the position after which the next one that leads to it begins. */
  #walk(position: number): RowPage | number {
    let after = Math.floor((position - 1) / this.#pageRows) * this.#pageRows
    for (;;) {
      const kept = this.#kept.get(after)
      const through = kept?.page.through ?? this.#ends.get(after)
      if (through === undefined) return after
      if (position <= through) {
        // A page whose first rows had been pruned does not hold them.
        if (kept === undefined || position <= kept.page.after) return after
        kept.used = ++this.#uses
        return kept.page
      }
      after = through
    }
  }

  #ask(after: number, wish: WantedPage): void {
    const wishes = this.#wishes.get(after)
    if (wishes !== undefined) wishes.push(wish)
    else {
      this.#wishes.set(after, [wish])
      this.#line.push(after)
      this.#next()
    }
  }

  #next(): void {
    const { fetchesAtOnce = defaultFetchesAtOnce, head, fetch } = this.#options
    while (this.#fetching.size < fetchesAtOnce) {
      const after = this.#line.shift()
      if (after === undefined) return
      const end = (Math.floor(after / this.#pageRows) + 1) * this.#pageRows
      const through = Math.min(end, head())
      const reading = { after, through, isStale: false }
      this.#fetching.add(reading)
      fetch(after, through, (page) => {
        this.#fetching.delete(reading)
        const wishes = this.#wishes.get(after) ?? []
        this.#wishes.delete(after)
        if (reading.isStale && page !== null) {
          for (const wish of wishes) this.#ask(after, wish)
          return this.#next()
        }
        try {
          this.#take(after, through, page, wishes)
        } finally {
          this.#next()
        }
      })
    }
  }

  #take(after: number, through: number, read: LogPage | null, wishes: ReadonlyArray<WantedPage>): void {
    if (read === null) {
      for (const { done } of wishes) done("unavailable")
      return
    }
    this.#oldest = Math.max(this.#oldest, read.oldest ?? 1)
    let page: RowPage | null
    try {
      page = this.#build(after, read.rows)
    } catch (fault) {
      for (const { done } of wishes) done("unavailable")
      throw fault
    }
    for (const wish of wishes) {
      // Wished for when the log had grown: the rows that were read may all have been pruned, and this one not.
      const last = page === null ? through : page.through
      if (this.isGone(wish.position)) wish.done("gap")
      else if (wish.position > last) this.#ask(last, wish)
      else wish.done(page ?? "gap")
    }
  }

  /** Null where there are no rows. Those before the first, where it does not follow `after`, have been pruned. */
  #build(after: number, rows: ReadonlyArray<LogRow>): RowPage | null {
    const { newPage = (first: number) => new RowPage(first) } = this.#options
    const [first] = rows
    if (first === undefined) return null
    const page = newPage(first.position - 1)
    for (const row of rows) page.push(row)
    this.#drop(after)
    if (this.#ends.size >= mostEnds) this.#ends.clear()
    this.#ends.set(after, page.through)
    this.#kept.set(after, { page, used: ++this.#uses })
    this.#bytes += page.bytes
    this.#shrink(after)
    return page
  }

  /** Forgets the pages that were used the longest ago; not the one that has just come. */
  #shrink(newest: number | null): void {
    while (this.#bytes > this.#options.limitBytes && this.#kept.size > 1) {
      let oldest: number | null = null
      let least = Number.POSITIVE_INFINITY
      for (const [after, { used }] of this.#kept) {
        if (after === newest || used >= least) continue
        oldest = after
        least = used
      }
      if (oldest === null) return
      this.#drop(oldest)
    }
  }

  #drop(after: number): void {
    this.#bytes -= this.#kept.get(after)?.page.bytes ?? 0
    this.#kept.delete(after)
  }
}
