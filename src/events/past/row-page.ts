/**
 * Consecutive rows of a realm's log in memory, with lists of rows per channel and per user: whoever reads them looks only
 * at rows that may be meant for them. The newest rows lie in pages of the ring (row-ring.ts), older ones that somebody reads
 * in shared pages from the database (row-pages.ts). Pure data, no clock, no I/O.
 */
import type { ChannelId, UserId } from "../../ids.ts"
import type { HolderAudience } from "../audience.ts"
import type { LogRow } from "../event.ts"

const placesOf = ({ channel, kept = [] }: HolderAudience): ReadonlyArray<string> => [
  `c${channel}`,
  ...kept.map((place) => `c${place.channel}`),
]

/** The lists that a row is in: `*` is read by every queue, `c5` by subscribers of channel 5, `u7` by user 7. */
const keysOf = (row: LogRow): ReadonlyArray<string> => {
  const { audience } = row
  const also = Array.from(audience.also ?? [], (user) => `u${user}`)
  switch (audience.kind) {
    case "users":
      return [...new Set([...Array.from(audience.users, (user) => `u${user}`), ...also])]
    case "subscribers":
      return [`c${audience.channel}`, ...also]
    case "holders":
      return [...new Set(placesOf(audience)), ...also]
    case "moved":
      return [...new Set([...placesOf(audience.from), `c${audience.to.channel}`]), ...also]
    case "servers":
      return []
    default:
      return ["*"]
  }
}

/** The lists that a reader looks at; null: all rows. */
export type ReaderLists = ReadonlyArray<string> | null

/** Those of a user who is or was subscribed to these channels; with `channels` null every row counts. */
export const listsOf = (user: UserId, channels: Iterable<ChannelId> | null): ReaderLists => {
  if (channels === null) return null
  const keys = ["*", `u${user}`]
  for (const channel of channels) keys.push(`c${channel}`)
  return keys
}

const byPosition = (a: LogRow, b: LogRow): number => a.position - b.position

export class RowPage {
  /** The position before the first row. */
  readonly after: number
  readonly #rows: Array<LogRow> = []
  readonly #lists = new Map<string, Array<LogRow>>()
  #bytes = 0

  constructor(after: number) {
    this.after = after
  }

  /** Memory that it takes, about. */
  get bytes(): number {
    return this.#bytes
  }

  get length(): number {
    return this.#rows.length
  }

  /** The position of the last row; `after` while there is none. */
  get through(): number {
    return this.after + this.#rows.length
  }

  get newest(): LogRow | undefined {
    return this.#rows.at(-1)
  }

  at(position: number): LogRow | undefined {
    return this.#rows[position - this.after - 1]
  }

  push(row: LogRow): void {
    this.#rows.push(row)
    this.#bytes += row.bytes
    for (const key of keysOf(row)) {
      const list = this.#lists.get(key)
      if (list === undefined) this.#lists.set(key, [row])
      else list.push(row)
    }
  }

  /** Puts another row, for the same receivers, in the place of one. What it takes is counted as before. */
  replace(position: number, by: (row: LogRow) => LogRow): void {
    const row = this.at(position)
    if (row === undefined) return
    const other = by(row)
    this.#rows[position - this.after - 1] = other
    for (const key of keysOf(row)) {
      const list = this.#lists.get(key) ?? []
      list[list.indexOf(row)] = other
    }
  }

  /** Encoded bytes of a row count too. False where the page does not hold this row. */
  grew(row: LogRow, bytes: number): boolean {
    if (this.at(row.position) !== row) return false
    this.#bytes += bytes
    return true
  }

  /** The rows after `position` that may be meant for a reader of these lists, in order. */
  select(position: number, lists: ReaderLists): ReadonlyArray<LogRow> {
    if (lists === null) return this.#rows.slice(Math.max(0, position - this.after))
    const found: Array<LogRow> = []
    let listCount = 0
    for (const key of lists) {
      const list = this.#lists.get(key)
      if (list === undefined) continue
      listCount += 1
      for (const row of list) if (row.position > position) found.push(row)
    }
    if (listCount < 2) return found
    found.sort(byPosition)
    // A row can be in several lists.
    return found.filter((row, index) => row !== found[index - 1])
  }
}
