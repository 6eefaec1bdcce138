/**
 * Messages that are being edited, each with the text as it stands: one may look elsewhere meanwhile, or load the page again. What is
 * asked for first is the message as it was written.
 */
import type { Client } from "../../client/index.ts"
import { Observable } from "./observable.ts"
import type { TextStore } from "./text-store.ts"

export class MessageEdits {
  /** By the message's number; null until its text has come. */
  readonly open = new Observable<ReadonlyMap<number, string | null>>(new Map())
  readonly #client: Client
  readonly #shelf: TextStore
  readonly #prefix: string

  constructor(client: Client, user: number, shelf: TextStore) {
    this.#client = client
    this.#shelf = shelf
    this.#prefix = `edit.${user}.`
    const kept = shelf
      .names(this.#prefix)
      .map((name) => [Number(name.slice(this.#prefix.length)), shelf.kept(name)] as const)
    this.open.change(() => new Map(kept))
  }

  /** Rejects where the message cannot be read. */
  async begin(id: number): Promise<void> {
    if (this.open.value.has(id)) return
    this.#set(id, null)
    try {
      const { message } = await this.#client.call("GET /messages/{message_id}", {
        message_id: id,
        apply_markdown: false,
      })
      if (this.open.value.get(id) === null) this.#set(id, message.content)
    } catch (error) {
      this.end(id)
      throw error
    }
  }

  write(id: number, text: string): void {
    this.#set(id, text)
    this.#shelf.keep(this.#prefix + id, text)
  }

  /** Another tab has gone on with it, or ended it; `text`: null where it is kept no more. */
  heard(name: string, text: string | null): void {
    const id = Number(name.slice(this.#prefix.length))
    if (!name.startsWith(this.#prefix) || !this.open.value.has(id)) return
    if (text === null) this.open.change((open) => new Map([...open].filter(([each]) => each !== id)))
    else this.#set(id, text)
  }

  end(id: number): void {
    this.#shelf.keep(this.#prefix + id, null)
    this.open.change((open) => new Map([...open].filter(([each]) => each !== id)))
  }

  /** Rejects where the server does not take it: the text stays. */
  async save(id: number): Promise<void> {
    const content = this.open.value.get(id)
    if (content === undefined || content === null || content.trim() === "") return
    await this.#client.call("PATCH /messages/{message_id}", { message_id: id, content })
    // What was typed while it was saved is another edit.
    if (this.open.value.get(id) === content) this.end(id)
  }

  #set(id: number, text: string | null): void {
    this.open.change((open) => new Map(open).set(id, text))
  }
}
