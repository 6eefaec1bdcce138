/**
 * Messages that were sent here and have not been answered yet. They are kept in the browser and go one after the other, each
 * once: a send has the same `queue_id` and `local_id` however often it is tried, over reloads of the page too.
 */
import { type Client, Refused } from "../../client/index.ts"
import { type Conversation, recipientOf } from "../state/model.ts"
import { hasFields, keep, keptValue } from "./kept.ts"
import { Store } from "./store.ts"

export interface Pending {
  readonly localId: string
  readonly queueId: string
  readonly conversation: Conversation
  readonly content: string
  /** Unix seconds. */
  readonly time: number
  /** Why the server does not take it; it stands until it is sent again or thrown away. */
  readonly fault: string | null
  /** Of the message, once it is answered: shown until the message itself has come. */
  readonly id: number | null
}

const dayMilliseconds = 22 * 3_600_000

const isPending = (value: unknown): value is Pending =>
  hasFields(value, "localId", "queueId", "conversation", "content", "time", "fault", "id") &&
  hasFields(value.conversation, "kind")

const isList = (value: unknown): value is ReadonlyArray<Pending> => Array.isArray(value) && value.every(isPending)

export class Outbox {
  readonly pending: Store<ReadonlyArray<Pending>>
  readonly #client: Client
  readonly #name: string
  #isSending = false

  constructor(client: Client, user: number) {
    this.#client = client
    this.#name = `outbox.${user}`
    const kept = (keptValue(this.#name, isList) ?? []).filter(({ id }) => id === null)
    this.pending = new Store(kept)
    void this.#work()
  }

  #change(next: (all: ReadonlyArray<Pending>) => ReadonlyArray<Pending>): void {
    this.pending.change(next)
    const open = this.pending.value.filter(({ id }) => id === null)
    keep(this.#name, open.length === 0 ? null : JSON.stringify(open))
  }

  add(conversation: Conversation, content: string, queueId: string): void {
    const localId = `${Date.now()}.${Math.floor(Math.random() * 1e9)}`
    const time = Date.now() / 1000
    this.#change((all) => [...all, { localId, queueId, conversation, content, time, fault: null, id: null }])
    void this.#work()
  }

  again(localId: string): void {
    this.#change((all) => all.map((each) => (each.localId === localId ? { ...each, fault: null } : each)))
    void this.#work()
  }

  remove(localId: string | undefined): void {
    if (this.pending.value.some((each) => each.localId === localId))
      this.#change((all) => all.filter((each) => each.localId !== localId))
  }

  async #work(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (;;) {
        const next = this.pending.value.find(({ fault, id }) => fault === null && id === null)
        if (next === undefined) return
        await this.#send(next)
      }
    } finally {
      this.#isSending = false
    }
  }

  async #send({ localId, queueId, conversation, content }: Pending): Promise<void> {
    const to = recipientOf(conversation)
    const message = { ...to, content, queue_id: queueId, local_id: localId, read_by_sender: true }
    try {
      const { id } = await this.#client.send(message, { patienceMilliseconds: dayMilliseconds })
      this.#change((all) => all.map((each) => (each.localId === localId ? { ...each, id } : each)))
      // Its event takes it away; where the queue was replaced meanwhile there is none with its local_id.
      setTimeout(() => this.remove(localId), 3_000)
    } catch (error) {
      if (!(error instanceof Refused)) return
      const fault = error.body.msg
      this.#change((all) => all.map((each) => (each.localId === localId ? { ...each, fault } : each)))
    }
  }
}
