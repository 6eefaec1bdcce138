/**
 * The reference of a schedule: every row ever committed with the users who may read it, computed from plain sets at its
 * commit, and the state that a register would answer now. It also plays the log of the database, whose old rows can be
 * pruned. It shares no code with the program: no spans, no sorted arrays.
 */
import type { Role } from "../../../src/chat/ground/realm/domain-values.ts"
import type { Audience } from "../../../src/events/audience.ts"
import { type LogRow, rowAudience } from "../../../src/events/event.ts"
import type { LogPage } from "../../../src/events/log.ts"
import { ChannelId, Position, UserId } from "../../../src/ids.ts"
import type { JsonObject } from "../../../src/json.ts"
import { numberAt } from "./model-events.ts"

/**
 * Flat counters: `subscription:<channel>:<user>`, `count` and `stored` are the state of a register. Others are not part
 * of it, so their rows may have any audience: `secret:<channel>:<user>` and `role:<user>`.
 */
export type State = Map<string, number>

/** Applies a row to a register's state. Strict: to add what is there already, or remove what is not, is an error. */
export const applyTo = (state: State, type: string, payload: JsonObject): void => {
  const change = (key: string, value: number | null) => {
    if (value === null && !state.has(key)) throw new Error(`${key} is removed but was not there`)
    if (value === null) state.delete(key)
    else state.set(key, value)
  }
  switch (type) {
    case "subscription":
    case "secret": {
      const key = `${type}:${numberAt(payload, "channel")}:${numberAt(payload, "user")}`
      if (payload["op"] === "add" && state.has(key)) throw new Error(`${key} is added twice`)
      return change(key, payload["op"] === "add" ? 1 : null)
    }
    case "role":
      return change(`role:${numberAt(payload, "user")}`, payload["role"] === null ? null : numberAt(payload, "role"))
    case "count":
    case "stored":
      return change(type, (state.get(type) ?? 0) + numberAt(payload, "by"))
  }
}

export interface Entry {
  readonly row: LogRow
  /** The users in the row's audience. */
  readonly readers: ReadonlySet<number>
  /** Users outside the audience who get the row in a queue with all_public_streams. */
  readonly visitors: ReadonlySet<number>
}

/** A row that is to be committed. */
export type Draft = Omit<LogRow, "position" | "at" | "audience"> & { readonly audience: Audience }

export interface Founding {
  readonly users: ReadonlyArray<UserId>
  readonly channels: ReadonlyArray<ChannelId>
  /** One of them, whose subscriptions no register tells. */
  readonly secret: ChannelId
  readonly roles: ReadonlyMap<UserId, Role>
  readonly subscribers: ReadonlyArray<readonly [ChannelId, UserId]>
}

export class Journal {
  readonly founding: Founding
  /** All rows ever committed; the row of position p is at index p - 1. */
  readonly entries: Array<Entry> = []
  readonly state: State = new Map([
    ["count", 0],
    ["stored", 0],
  ])
  /** Subscriptions at each position. */
  readonly #subscribed: Array<ReadonlySet<string>> = []
  #oldest = 1

  constructor(founding: Founding) {
    this.founding = founding
    for (const [user, role] of founding.roles) this.state.set(`role:${user}`, role)
    for (const [channel, user] of founding.subscribers) this.state.set(this.#key(channel, user), 1)
    this.#noteSubscribed()
  }

  #noteSubscribed(): void {
    this.#subscribed.push(new Set([...this.state.keys()].filter((key) => /^(subscription|secret):/.test(key))))
  }

  #key(channel: ChannelId, user: UserId): string {
    return `${channel === this.founding.secret ? "secret" : "subscription"}:${channel}:${user}`
  }

  isSubscribed(channel: ChannelId, user: UserId): boolean {
    return this.state.has(this.#key(channel, user))
  }

  get head(): number {
    return this.entries.length
  }

  /** The lowest position that the log still holds. */
  get oldest(): number {
    return this.#oldest
  }

  get newest(): LogRow | undefined {
    return this.entries.at(-1)?.row
  }

  widthOf(position: number): number {
    return this.entries[position - 1]?.row.width ?? 0
  }

  commit(draft: Draft): LogRow {
    const { audience } = draft
    const row: LogRow = {
      ...draft,
      audience: rowAudience(audience),
      position: Position(this.head + 1),
      at: this.head,
    }
    applyTo(this.state, row.type, row.payload)
    this.#noteSubscribed()
    const isPublic = row.type === "message" && audience.kind === "subscribers" && !audience.was.isPrivate
    this.entries.push({
      row,
      readers: new Set(this.founding.users.filter((user) => this.#reads(user, audience))),
      visitors: new Set(isPublic ? this.founding.users.filter((user) => this.#isMember(user)) : []),
    })
    return row
  }

  rows(after: number, through: number): ReadonlyArray<LogRow> {
    return this.entries.slice(after, through).map(({ row }) => row)
  }

  /** A page as the database answers it. Rows are new objects each time, as they are when they come from there. */
  page(after: number, through: number, limit: number): LogPage {
    const from = Math.max(after, this.#oldest - 1)
    const rows = this.rows(from, Math.min(through, from + limit)).map((row) => ({ ...row }))
    return { oldest: this.head === 0 ? null : this.#oldest, rows }
  }

  /** Forgets rows below `position`, never the newest. */
  prune(position: number): void {
    this.#oldest = Math.max(this.#oldest, Math.min(position, this.head))
  }

  #isMember(user: UserId): boolean {
    const role = this.state.get(`role:${user}`)
    return role !== undefined && role < 600
  }

  #reads(user: UserId, audience: Audience): boolean {
    if (audience.kind === "servers" || audience.except?.includes(user)) return false
    if (audience.also?.includes(user)) return true
    const role = this.state.get(`role:${user}`)
    switch (audience.kind) {
      case "users":
        return audience.users.includes(user)
      case "realm":
        return role !== undefined
      case "members":
        return this.#isMember(user)
      case "subscribers":
        return this.isSubscribed(audience.channel, user)
      case "holders":
        if (audience.was.isPrivate && !this.isSubscribed(audience.channel, user)) return false
        if (audience.was.historyShared && this.isSubscribed(audience.channel, user)) return true
        return this.#subscribed[audience.since]?.has(this.#key(audience.channel, user)) === true
      case "moved":
        throw new Error("nothing is moved in this model")
      case "channel":
        if (this.isSubscribed(audience.channel, user)) return true
        if (audience.was.isWebPublic && role !== undefined) return true
        return audience.was.isPrivate ? role !== undefined && role <= 200 : this.#isMember(user)
    }
  }
}

export const usersUpTo = (count: number): ReadonlyArray<UserId> =>
  Array.from({ length: count }, (_each, index) => UserId(index + 1))
export const channelsUpTo = (count: number): ReadonlyArray<ChannelId> =>
  Array.from({ length: count }, (_each, index) => ChannelId(index + 1))
