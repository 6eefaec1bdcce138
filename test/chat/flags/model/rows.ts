/**
 * Read state with a row for each message of each user, as simple as can be: what the server's ranges and floors are
 * compared with.
 */
import type { Name } from "../../../kit/with-server.ts"

export const people = ["hamlet", "cordelia", "othello", "iago"] as const satisfies ReadonlyArray<Name>
export type Person = (typeof people)[number]

export interface Sent {
  readonly id: number
  /** null for a direct message. */
  readonly channel: string | null
  readonly topic: string
  readonly sender: Person
  /** The participants of a direct message. */
  readonly to: ReadonlyArray<Person>
}

export interface Marked {
  readonly who: Person
  readonly flags: ReadonlyArray<string>
}

const isMentioning = (marks: ReadonlyArray<string>): boolean =>
  marks.includes("mentioned") || marks.includes("wildcard_mentioned")

interface Row {
  read: boolean
  starred: boolean
  collapsed: boolean
  readonly historical: boolean
  readonly marks: ReadonlyArray<string>
}

export class Rows {
  readonly messages = new Map<number, Sent>()
  readonly subscribers: ReadonlyMap<string, Set<Person>>
  readonly muted = new Map<Person, Set<string>>(people.map((each) => [each, new Set()]))
  readonly #closed: ReadonlySet<string>
  readonly #rows = new Map<Person, Map<number, Row>>(people.map((each) => [each, new Map()]))

  /** `closed`: channels of which only those who received a message may read it. */
  constructor(subscribers: ReadonlyMap<string, Set<Person>>, closed: ReadonlySet<string>) {
    this.subscribers = subscribers
    this.#closed = closed
  }

  rowsOf(who: Person): Map<number, Row> {
    const rows = this.#rows.get(who)
    if (rows === undefined) throw new Error(`${who} has no rows`)
    return rows
  }

  isSubscribed(who: Person, channel: string): boolean {
    return this.subscribers.get(channel)?.has(who) === true
  }

  receivers({ channel, to }: Omit<Sent, "id">): ReadonlyArray<Person> {
    return channel === null ? to : [...(this.subscribers.get(channel) ?? [])]
  }

  /** `marked`: the flags that the message gives one of its receivers. */
  send(message: Sent, readBySender: boolean, marked: Marked | null, isForAll: boolean): void {
    this.messages.set(message.id, message)
    for (const who of this.receivers(message)) {
      const marks = new Set([
        ...(marked?.who === who ? marked.flags : []),
        ...(isForAll ? ["stream_wildcard_mentioned", "wildcard_mentioned"] : []),
      ])
      const read = who === message.sender && readBySender
      this.rowsOf(who).set(message.id, { read, starred: false, collapsed: false, historical: false, marks: [...marks] })
    }
  }

  /** The messages that a user may read, in ascending order. */
  readable(who: Person): ReadonlyArray<number> {
    const rows = this.rowsOf(who)
    return [...this.messages.values()]
      .filter(({ id, channel }) => rows.has(id) || (channel !== null && !this.#closed.has(channel)))
      .map(({ id }) => id)
  }

  #row(who: Person, id: number): Row {
    const known = this.rowsOf(who).get(id)
    const row = known ?? { read: true, starred: false, collapsed: false, historical: true, marks: [] }
    this.rowsOf(who).set(id, row)
    return row
  }

  /** Changes a flag; answers the messages that had another one before. */
  change(
    who: Person,
    op: "add" | "remove",
    flag: "read" | "starred" | "collapsed",
    ids: Iterable<number>,
  ): ReadonlyArray<number> {
    const value = op === "add"
    return [...new Set(ids)]
      .filter((id) => {
        const channel = this.messages.get(id)?.channel ?? null
        if (flag === "read" && !value && channel !== null && !this.isSubscribed(who, channel)) return false
        const is = this.rowsOf(who).get(id)?.[flag] ?? flag === "read"
        if (is === value) return false
        this.#row(who, id)[flag] = value
        return true
      })
      .sort((a, b) => a - b)
  }

  leave(who: Person, channel: string): ReadonlyArray<number> {
    const left = this.unread(who).filter((id) => this.messages.get(id)?.channel === channel)
    const changed = this.change(who, "add", "read", left)
    this.subscribers.get(channel)?.delete(who)
    return changed
  }

  #idsWhere(who: Person, is: (row: Row) => boolean): ReadonlyArray<number> {
    return [...this.rowsOf(who)]
      .filter(([, row]) => is(row))
      .map(([id]) => id)
      .sort((a, b) => a - b)
  }

  held(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, () => true)
  }
  unread(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ read }) => !read)
  }
  starred(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ starred }) => starred)
  }
  mentioned(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ marks }) => isMentioning(marks))
  }
  alerted(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ marks }) => marks.includes("has_alert_word"))
  }

  flags(who: Person, id: number): ReadonlyArray<string> {
    const row = this.rowsOf(who).get(id)
    if (row === undefined) return ["historical", "read"]
    const { read, starred, collapsed, historical, marks } = row
    return [
      ...(read ? ["read"] : []),
      ...(starred ? ["starred"] : []),
      ...(collapsed ? ["collapsed"] : []),
      ...(historical ? ["historical"] : []),
      ...marks,
    ].sort()
  }

  /** The unread messages that mention the user; a wildcard does not count in a muted channel. */
  unreadMentions(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ read, marks }) => !read && isMentioning(marks)).filter((id) => {
      const channel = this.messages.get(id)?.channel ?? null
      const isMuted = channel !== null && this.muted.get(who)?.has(channel) === true
      return !isMuted || this.rowsOf(who).get(id)?.marks.includes("mentioned")
    })
  }
}
