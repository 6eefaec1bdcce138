/**
 * The newest rows of a realm's log, in memory, bounded in bytes, with lists of rows per channel and per user: a queue
 * that returns reads the rows it missed without a query, and without looking at rows that are not for it. It always
 * holds the newest row. Rebuilt at start; pure data, no clock, no I/O.
 */
import type { ChannelId, UserId } from "../ids.ts"
import type { LogRow } from "./event.ts"

/** The lists that a row is in: `*` is read by every queue, `c5` by subscribers of channel 5, `u7` by user 7. */
const keysOf = (row: LogRow): ReadonlyArray<string> => {
  const { audience } = row
  const also = Array.from(audience.also ?? [], (user) => `u${user}`)
  switch (audience.kind) {
    case "users":
      return [...new Set([...Array.from(audience.users, (user) => `u${user}`), ...also])]
    case "subscribers":
      return [`c${audience.channel}`, ...also]
    case "servers":
      return []
    default:
      return ["*"]
  }
}

export class Ring {
  readonly #limit: number
  readonly #rows: Array<LogRow> = []
  #bytes = 0
  readonly #extra = new WeakMap<LogRow, number>()
  readonly #lists = new Map<string, Array<LogRow>>()

  constructor(limitBytes: number) {
    this.#limit = limitBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The oldest position held; undefined where the log is empty. */
  get oldest(): number | undefined {
    return this.#rows[0]?.position
  }

  get newest(): LogRow | undefined {
    return this.#rows.at(-1)
  }

  at(position: number): LogRow | undefined {
    const oldest = this.oldest
    return oldest === undefined ? undefined : this.#rows[position - oldest]
  }

  push(row: LogRow): void {
    this.#rows.push(row)
    this.#bytes += row.bytes
    for (const key of keysOf(row)) {
      const list = this.#lists.get(key)
      if (list === undefined) this.#lists.set(key, [row])
      else list.push(row)
    }
    this.#shrink()
  }

  /** Encoded bytes of a row count against the bound too. Rows that the ring does not hold are passed over. */
  grew(row: LogRow, bytes: number): void {
    if (this.at(row.position) !== row) return
    this.#extra.set(row, (this.#extra.get(row) ?? 0) + bytes)
    this.#bytes += bytes
    this.#shrink()
  }

  /** Forgets rows below `position`, which the log has pruned. */
  prune(position: number): void {
    while (this.#rows.length > 1 && (this.oldest ?? position) < position) this.#drop()
  }

  /**
   * Up to `limit` rows after `position` that may be meant for a user with these channels, in order; `through` is the
   * last position looked at. With `channels` null every row counts.
   */
  select(
    position: number,
    limit: number,
    user: UserId,
    channels: Iterable<ChannelId> | null,
  ): { readonly rows: ReadonlyArray<LogRow>; readonly through: number } {
    const end = this.newest?.position ?? 0
    if (channels === null) {
      const from = Math.max(0, position + 1 - (this.oldest ?? 1))
      const rows = this.#rows.slice(from, from + limit)
      return { rows, through: rows.length < limit ? end : (rows.at(-1)?.position ?? end) }
    }
    const keys = ["*", `u${user}`]
    for (const channel of channels) keys.push(`c${channel}`)
    const found = new Set<LogRow>()
    for (const key of keys) {
      const list = this.#lists.get(key)
      if (list === undefined) continue
      const from = firstAfter(list, position)
      // No more than `limit` of any one list can be among the first `limit` of all; one more says that there are more.
      for (let index = from; index < list.length && index <= from + limit; index++) {
        const row = list[index]
        if (row !== undefined) found.add(row)
      }
    }
    const rows = [...found].sort((a, b) => a.position - b.position)
    if (rows.length <= limit) return { rows, through: end }
    const cut = rows.slice(0, limit)
    return { rows: cut, through: cut.at(-1)?.position ?? end }
  }

  #shrink(): void {
    while (this.#bytes > this.#limit && this.#rows.length > 1) this.#drop()
  }

  #drop(): void {
    const row = this.#rows.shift()
    if (row === undefined) return
    this.#bytes -= row.bytes + (this.#extra.get(row) ?? 0)
    this.#extra.delete(row)
    for (const key of keysOf(row)) {
      const list = this.#lists.get(key)
      if (list === undefined) continue
      list.shift()
      if (list.length === 0) this.#lists.delete(key)
    }
  }
}

const firstAfter = (list: ReadonlyArray<LogRow>, position: number): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((list[middle]?.position ?? 0) > position) high = middle
    else low = middle + 1
  }
  return low
}
