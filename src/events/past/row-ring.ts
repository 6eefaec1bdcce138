/**
 * The newest rows of a realm's log, in memory, bounded in bytes, in pages (row-page.ts): a queue that returns reads the rows
 * it missed without a query, and without looking at rows that are not for it. It always holds the newest row. Rebuilt
 * at start; pure data, no clock, no I/O.
 */
import type { LogRow } from "../event.ts"
import { RowPage } from "./row-page.ts"

/** A page is full with so many rows, or with this part of the ring's bytes: the ring forgets page by page. */
const pageRows = 256
const pageShare = 1 / 16

export class RowRing {
  readonly #limit: number
  readonly #newPage: (after: number) => RowPage
  /** The oldest first. All but the last are full. */
  readonly #pages: Array<RowPage> = []
  #bytes = 0

  constructor(limitBytes: number, newPage = (after: number) => new RowPage(after)) {
    this.#limit = limitBytes
    this.#newPage = newPage
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The oldest position held; undefined where the log is empty. */
  get oldest(): number | undefined {
    const page = this.#pages[0]
    return page === undefined ? undefined : page.after + 1
  }

  get newest(): LogRow | undefined {
    return this.#pages.at(-1)?.newest
  }

  at(position: number): LogRow | undefined {
    return this.pageOf(position)?.at(position)
  }

  /** The page that holds the row at this position. */
  pageOf(position: number): RowPage | undefined {
    let low = 0
    let high = this.#pages.length - 1
    while (low <= high) {
      const middle = (low + high) >>> 1
      const page = this.#pages[middle]
      if (page === undefined) return undefined
      if (position <= page.after) high = middle - 1
      else if (position > page.through) low = middle + 1
      else return page
    }
    return undefined
  }

  push(row: LogRow): void {
    const last = this.#pages.at(-1)
    const isFull = last === undefined || last.length >= pageRows || last.bytes >= pageShare * this.#limit
    const page = isFull ? this.#newPage(row.position - 1) : last
    if (isFull) this.#pages.push(page)
    page.push(row)
    this.#bytes += row.bytes
    this.#shrink()
  }

  /** Encoded bytes of a row count against the bound too. False where the ring does not hold the row. */
  grew(row: LogRow, bytes: number): boolean {
    if (this.pageOf(row.position)?.grew(row, bytes) !== true) return false
    this.#bytes += bytes
    this.#shrink()
    return true
  }

  /** Puts another row in the place of one that it holds. */
  replace(position: number, by: (row: LogRow) => LogRow): void {
    this.pageOf(position)?.replace(position, by)
  }

  /** Forgets pages whose rows are all below `position`, which the log has pruned. */
  prune(position: number): void {
    while (this.#pages.length > 1 && (this.#pages[0]?.through ?? position) < position) this.#drop()
  }

  #shrink(): void {
    while (this.#bytes > this.#limit && this.#pages.length > 1) this.#drop()
  }

  #drop(): void {
    this.#bytes -= this.#pages.shift()?.bytes ?? 0
  }
}
