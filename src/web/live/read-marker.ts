/** Marks as read what was seen: gathered, because one sees many messages in a second. */
import { type Client, Refused } from "../../client/index.ts"
import type { PageNarrow } from "../state/model.ts"
import { filtersOf } from "../state/narrow.ts"

const partMessages = 1000
const gatherMilliseconds = 250
/** What could not be told is told again. */
const againMilliseconds = 4_000
/** So long after the server knows it its event may be on the way. */
const knownMilliseconds = 10_000

export class ReadMarker {
  readonly #client: Client
  readonly #seen = new Set<number>()
  readonly #told = new Set<number>()
  /** Marked as unread while one looks at them: to see them again is no reading. */
  readonly #held = new Set<number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  /** They stay unread until the place is left. */
  hold(ids: Iterable<number>): void {
    for (const id of ids) {
      this.#held.add(id)
      this.#seen.delete(id)
    }
  }

  leave(): void {
    this.#held.clear()
  }

  see(id: number): void {
    if (this.#told.has(id) || this.#held.has(id)) return
    this.#told.add(id)
    this.#seen.add(id)
    this.#later(gatherMilliseconds)
  }

  /** All that is unread of a narrow, a part at a time. */
  async readAll(narrow: PageNarrow): Promise<void> {
    const unread = [...filtersOf(narrow), { operator: "is", operand: "unread" }]
    for (let anchor = "oldest", hasMore = true; hasMore; ) {
      const params = { anchor, num_before: 0, num_after: partMessages, narrow: unread, op: "add", flag: "read" }
      const { last_processed_id, found_newest } = await this.#client.call("POST /messages/flags/narrow", params)
      anchor = String(last_processed_id)
      hasMore = !found_newest && last_processed_id !== null
    }
  }

  #later(milliseconds: number): void {
    this.#timer ??= setTimeout(() => void this.#tell(), milliseconds)
  }

  async #tell(): Promise<void> {
    this.#timer = undefined
    const messages = [...this.#seen]
    this.#seen.clear()
    if (messages.length === 0) return
    const forget = () => {
      for (const id of messages) this.#told.delete(id)
    }
    try {
      await this.#client.call("POST /messages/flags", { messages, op: "add", flag: "read" })
      setTimeout(forget, knownMilliseconds)
    } catch (error) {
      // One that is gone meanwhile makes the server refuse all: those that are there are seen again.
      if (error instanceof Refused && !error.isForNow) return void setTimeout(forget, knownMilliseconds)
      for (const id of messages) this.#seen.add(id)
      this.#later(againMilliseconds)
    }
  }
}
