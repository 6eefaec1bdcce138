/** A queue of each of the people. What comes is read when something was done, sometimes from the log after a restart. */
import type { Test } from "tap"
import type { Random } from "../../../../events/model/random.ts"
import { numbersIn } from "../../../../kit/client-sections.ts"
import type { ReadEvent, Reader } from "../../../../kit/reader.ts"
import type { TestServer } from "../../../../kit/with-server.ts"
import { type Person, people } from "./people.ts"
import type { Rows } from "./rows.ts"

/** The messages of which somebody is told that others edited, moved or deleted them. */
export interface Told {
  readonly updated: ReadonlyArray<number>
  readonly deleted: ReadonlyArray<number>
}
export const nothing: Told = { updated: [], deleted: [] }

const idsOf = (events: ReadonlyArray<ReadEvent>, type: string): ReadonlyArray<number> =>
  events
    .filter((event) => event.type === type)
    .flatMap(({ message_ids: ids }) => (Array.isArray(ids) ? ids.map(Number) : []))
    .sort((a, b) => a - b)

export class Queues {
  readonly #t: Test
  readonly #server: TestServer
  readonly #random: Random
  readonly #rows: Rows
  readonly #label: string
  readonly #readers = new Map<Person, Reader>()

  constructor(t: Test, server: TestServer, random: Random, rows: Rows, label: string) {
    this.#t = t
    this.#server = server
    this.#random = random
    this.#rows = rows
    this.#label = label
  }

  async begin(): Promise<void> {
    const fields = {
      event_types: ["update_message_flags", "update_message", "delete_message"],
      client_capabilities: { bulk_message_deletion: true, empty_topic_name: true },
    }
    for (const who of people) this.#readers.set(who, await this.#server.queue(who, fields))
  }

  async restart(): Promise<void> {
    await this.#server.restart()
    for (const [who, reader] of this.#readers) this.#readers.set(who, this.#server.resume(who, reader))
  }

  async #maybeRestart(): Promise<void> {
    if (this.#random.chance(0.015)) await this.restart()
  }

  async #rest(who: Person): Promise<ReadonlyArray<ReadEvent>> {
    return (await this.#readers.get(who)?.rest()) ?? []
  }

  /** Somebody has changed flags of their own: they hear of these messages, and of nothing else. */
  async expectFlags(who: Person, op: string, flag: string, changed: ReadonlyArray<number> | "all"): Promise<void> {
    await this.#maybeRestart()
    const told = (await this.#rest(who)).map((event) => [
      event["op"],
      event["flag"],
      event["all"] === true ? "all" : event["messages"],
    ])
    const expected = changed.length === 0 ? [] : [[op, flag, changed]]
    this.#t.same(told, expected, `${this.#label}: ${who}, ${op} ${flag}`)
  }

  /**
   * Something was done to messages: everybody hears of theirs, and nobody's flags change, but that what comes back is starred.
   * An event tells the flags of the message that it names, to each their own.
   */
  async expectTold(what: string, told: ReadonlyMap<Person, Told>): Promise<void> {
    await this.#maybeRestart()
    for (const who of people) {
      const events = await this.#rest(who)
      const label = `${this.#label}: ${what}: ${who}`
      const { updated, deleted } = told.get(who) ?? nothing
      const starred = new Set(this.#rows.starred(who))
      const changed = events.filter(
        ({ type, op, flag, messages }) =>
          type === "update_message_flags" &&
          (op !== "add" || flag !== "starred" || numbersIn(messages).some((id) => !starred.has(id))),
      )
      this.#t.same(changed, [], `${label}: no flags change`)
      this.#t.same(idsOf(events, "update_message"), updated, `${label}: updated`)
      this.#t.same(idsOf(events, "delete_message"), deleted, `${label}: deleted`)
      for (const { message_id, flags } of events.filter(({ type }) => type === "update_message")) {
        const id = Number(message_id)
        this.#t.same([...(Array.isArray(flags) ? flags : [])].sort(), this.#rows.flags(who, id), `${label}: flags`)
      }
    }
  }
}
