/**
 * Messages that were sent here and have not been answered yet. Each is kept in the browser under a name of its own, so that tabs do not
 * take them from each other, and they go one after the other, each once: a send has the same `queue_id` and `local_id` however
 * often it is tried, over reloads of the page too. What waited longer than the server knows it again is not sent by itself.
 */
import { type Client, Refused } from "../../client/index.ts"
import { type Conversation, recipientOf } from "../state/model.ts"
import { maySendAgain } from "../state/resend-rules.ts"
import { hasFields, listenToStorage, storedNames, storedText, storedValue, storeText } from "./browser-storage.ts"
import { Observable } from "./observable.ts"

export interface PendingSend {
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

export interface PendingCallbacks {
  /** It has waited too long, and is kept here no more. */
  readonly onOld: (old: PendingSend) => void
  /** One that is answered has not come by its event: reads what there is. Rejects where that cannot be read now. */
  readonly onMissing: () => Promise<void>
}

const tryMilliseconds = 30_000
const firstPauseMilliseconds = 250
const longestPauseMilliseconds = 4_000
/** So long after the answer its event may be on the way. */
const eventMilliseconds = 5_000

const isPending = (value: unknown): value is PendingSend =>
  hasFields(value, "localId", "queueId", "conversation", "content", "time", "fault", "id") &&
  hasFields(value.conversation, "kind") &&
  typeof value.time === "number"

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class PendingSends {
  readonly pending: Observable<ReadonlyArray<PendingSend>>
  readonly #client: Client
  readonly #prefix: string
  readonly #told: PendingCallbacks
  #isSending = false

  constructor(client: Client, user: number, told: PendingCallbacks) {
    this.#client = client
    this.#prefix = `outbox.${user}.`
    this.#told = told
    const open = storedNames(this.#prefix).flatMap((name) => storedValue(name, isPending) ?? [])
    this.pending = new Observable(open.sort((a, b) => a.time - b.time))
    listenToStorage((name, text) => {
      // Another tab has got it sent, or its writer has thrown it away there.
      if (text === null && name.startsWith(this.#prefix)) this.#drop(name.slice(this.#prefix.length))
    })
    void this.#work()
  }

  #set(localId: string, change: Partial<PendingSend>): void {
    this.pending.change((all) => all.map((each) => (each.localId === localId ? { ...each, ...change } : each)))
    const changed = this.#find(localId)
    // What is answered is shown for a moment, but is not to be sent again.
    if (changed !== undefined) storeText(this.#prefix + localId, changed.id === null ? JSON.stringify(changed) : null)
  }

  #drop(localId: string): void {
    if (this.#find(localId) !== undefined) this.pending.change((all) => all.filter((each) => each.localId !== localId))
  }

  #find(localId: string): PendingSend | undefined {
    return this.pending.value.find((each) => each.localId === localId)
  }

  add(conversation: Conversation, content: string, queueId: string): void {
    const localId = `${Date.now()}.${Math.floor(Math.random() * 1e9)}`
    const time = Date.now() / 1000
    const added: PendingSend = { localId, queueId, conversation, content, time, fault: null, id: null }
    this.pending.change((all) => [...all, added])
    storeText(this.#prefix + localId, JSON.stringify(added))
    void this.#work()
  }

  again(localId: string): void {
    this.#set(localId, { fault: null })
    void this.#work()
  }

  remove(localId: string | undefined): void {
    if (localId === undefined) return
    this.#drop(localId)
    storeText(this.#prefix + localId, null)
  }

  /** The message itself has come. */
  came(id: number, localId: string | undefined): void {
    this.remove(localId ?? this.pending.value.find((each) => each.id === id)?.localId)
  }

  /**
   * It stands here until the message has come, so that it is never gone from the page. Its event takes it away; there is none where the
   * queue was replaced meanwhile, or while the socket is silent and requests are answered.
   */
  async #expectEvent(localId: string): Promise<void> {
    for (;;) {
      await pause(eventMilliseconds)
      if (this.#find(localId) === undefined) return
      try {
        await this.#told.onMissing()
        return this.remove(localId)
      } catch {
        // Later.
      }
    }
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

  /** Each try asks for the time anew: the machine may have slept in between. */
  async #send({ localId, queueId, conversation, content, time }: PendingSend): Promise<void> {
    const message = {
      ...recipientOf(conversation),
      content,
      queue_id: queueId,
      local_id: localId,
      read_by_sender: true,
    }
    for (let tries = 0; ; tries++) {
      const pending = this.#find(localId)
      if (pending === undefined || storedText(this.#prefix + localId) === null) return this.#drop(localId)
      if (!maySendAgain(time, Date.now())) {
        this.remove(localId)
        return this.#told.onOld(pending)
      }
      try {
        const { id } = await this.#client.send(message, { retries: false, patienceMilliseconds: tryMilliseconds })
        this.#set(localId, { id })
        void this.#expectEvent(localId)
        return
      } catch (error) {
        if (error instanceof Refused && !error.isForNow) return this.#set(localId, { fault: error.body.msg })
        const asked = error instanceof Refused ? (error.retryAfterMilliseconds ?? 0) : 0
        const own = Math.min(longestPauseMilliseconds, firstPauseMilliseconds * 2 ** tries)
        await pause(Math.max(asked, own * (0.2 + 0.8 * Math.random())))
      }
    }
  }
}
