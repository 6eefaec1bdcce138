/** Marks as read what was seen: gathered, because one sees many messages in a second. */
import type { Client } from "../../client/index.ts"

const gatherMilliseconds = 250
/** The server knows what was read; a mark that was lost is made again when the message is seen again. */
const againMilliseconds = 10_000

export class Marks {
  readonly #client: Client
  readonly #seen = new Set<number>()
  readonly #told = new Set<number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  see(id: number): void {
    if (this.#told.has(id)) return
    this.#told.add(id)
    this.#seen.add(id)
    this.#timer ??= setTimeout(() => this.#tell(), gatherMilliseconds)
  }

  #tell(): void {
    this.#timer = undefined
    const messages = [...this.#seen]
    this.#seen.clear()
    const forget = () => {
      for (const id of messages) this.#told.delete(id)
    }
    this.#client.call("POST /messages/flags", { messages, op: "add", flag: "read" }).then(
      () => setTimeout(forget, againMilliseconds),
      () => setTimeout(forget, againMilliseconds),
    )
  }
}
