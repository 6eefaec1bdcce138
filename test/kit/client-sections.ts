/**
 * The sections of a register that a client holds: lists of records by their ids, all other keys by name. Nothing is
 * kept for a section that was not asked for. The client-*.ts files beside this one apply events to them.
 */
import * as Predicate from "effect/Predicate"

export type Fields = Readonly<Record<string, unknown>>
export type Records = Map<number, Fields>

/** The lists of records, each with the field that has the id of a record. */
const lists = {
  realm_users: "user_id",
  realm_non_active_users: "user_id",
  realm_user_groups: "id",
  realm_bots: "user_id",
  streams: "stream_id",
  subscriptions: "stream_id",
  unsubscribed: "stream_id",
  never_subscribed: "stream_id",
  channel_folders: "id",
} as const
export type List = keyof typeof lists
const listNames = Object.keys(lists) as ReadonlyArray<List>

export const numbersIn = (value: unknown): ReadonlyArray<number> => {
  if (!Array.isArray(value) || !value.every(Predicate.isNumber)) throw new Error(`not a list of numbers: ${value}`)
  return value
}
export const objectsIn = (value: unknown): ReadonlyArray<Fields> => {
  if (!Array.isArray(value) || !value.every(Predicate.isObject)) throw new Error(`not a list of objects: ${value}`)
  return value
}
export const objectIn = (value: unknown): Fields => {
  if (!Predicate.isObject(value)) throw new Error(`not an object: ${JSON.stringify(value)}`)
  return { ...value }
}
export const sorted = (numbers: Iterable<number>): ReadonlyArray<number> => [...numbers].sort((a, b) => a - b)
export const without = (fields: Fields, ...names: ReadonlyArray<string>): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** Keys that differ in every register and are no state, and the newest id of presences, of which no event tells. */
const passing = [
  ...["result", "msg", "queue_id", "last_event_id", "idle_queue_timeout_secs", "server_timestamp"],
  "presence_last_update_id",
]

export class Sections {
  /** All keys that are no list of records. */
  readonly rest: Record<string, unknown>
  readonly #lists: ReadonlyMap<List, Records>

  constructor(register: Fields) {
    this.rest = { ...without(register, ...passing, ...listNames, "max_message_id") }
    this.#lists = new Map(
      listNames
        .filter((list) => list in register)
        .map((list) => [list, new Map(objectsIn(register[list]).map((each) => [Number(each[lists[list]]), each]))]),
    )
  }

  /** The list; undefined if it was not asked for. */
  list(name: List): Records | undefined {
    return this.#lists.get(name)
  }

  entries(): Iterable<readonly [List, Records]> {
    return this.#lists
  }

  /** Sets those of the keys that the register had. */
  set(fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) if (name in this.rest) this.rest[name] = value
  }

  /** Changes a record of a list, if it is in the list. */
  change(name: List, id: number, change: (record: Fields) => Fields): void {
    const records = this.#lists.get(name)
    const record = records?.get(id)
    if (record !== undefined) records?.set(id, change(record))
  }

  /** Moves a record from one list to another. */
  move(id: number, from: List, to: List): void {
    const record = this.#lists.get(from)?.get(id)
    if (record === undefined) return
    this.#lists.get(from)?.delete(id)
    this.#lists.get(to)?.set(id, record)
  }
}
