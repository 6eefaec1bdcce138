/**
 * Records the event that each id stood for, over all readers and for good (I4, I5): a Reader forgets events when it is
 * rewound. An id that comes again must be the same event: with the same bytes in the same queue, in its own form in
 * others.
 */
import { idSpan, indexOf, positionOf } from "../../src/events/event.ts"
import { WireId } from "../../src/ids.ts"
import type { ReadEvent } from "./reader.ts"
import type { TestServer } from "./with-server.ts"

const ephemeral = new Set(["typing", "typing_edit_message", "heartbeat"])

export class IdBook {
  readonly faults: Array<string> = []
  /** By queue, then by id: the event as it was read. */
  readonly #read = new Map<string, Map<number, string>>()
  /** By id: the fields of the event that are the same for every reader. */
  readonly #meaning = new Map<number, string>()

  see(queue: string, event: ReadEvent): void {
    const read = this.#read.get(queue) ?? new Map<number, string>()
    this.#read.set(queue, read)
    this.#hold(read, event.id, JSON.stringify(event), `queue ${queue}`)
    // A bulk client gets one event for all items of a wide row, under the id of the first item.
    const { type, name, op } = event
    this.#hold(this.#meaning, event.id, JSON.stringify([type, name, op]), "any queue")
  }

  #hold(known: Map<number, string>, id: number, text: string, whose: string): void {
    const before = known.get(id) ?? text
    if (before !== text) this.faults.push(`${id} of ${whose} was ${before} and is ${text}`)
    known.set(id, text)
  }

  /** The ids of stored events that a queue has read, ascending. */
  stored(queue: string): ReadonlyArray<number> {
    const read = this.#read.get(queue) ?? new Map<number, string>()
    return [...read.keys()].filter((id) => !ephemeral.has(this.#typeOf(id))).sort((a, b) => a - b)
  }

  count(type: string): number {
    return [...this.#meaning.keys()].filter((id) => this.#typeOf(id) === type).length
  }

  #typeOf(id: number): string {
    const [type]: ReadonlyArray<unknown> = JSON.parse(this.#meaning.get(id) ?? "[]")
    return String(type)
  }

  /** Compares all ids with the widths of their rows: n below the width is an item of the row, others are ephemerals. */
  async checkWidths(server: TestServer): Promise<void> {
    const rows = await server.rows("select position, width from log")
    const widths = new Map(rows.map((row) => [Number(row["position"]), Number(row["width"])]))
    for (const id of this.#meaning.keys()) {
      const width = widths.get(positionOf(WireId(id)))
      const n = indexOf(WireId(id))
      const type = this.#typeOf(id)
      if (width === undefined) this.faults.push(`${id} belongs to no row`)
      else if (ephemeral.has(type) ? n < width || n >= idSpan : n >= width)
        this.faults.push(`${id} of type ${type} has n ${n} on a row of width ${width}`)
    }
  }
}
