/**
 * What was typed and not sent. The browser keeps it at each key, so that nothing is lost whatever happens to page and server; the
 * server gets it after a pause, so that other devices have it. What the server is told of one conversation goes one after the other:
 * a text that was sent must not overtake its own draft.
 */
import { type Api, type Client, Refused } from "../../client/index.ts"
import { type Conversation, conversationKey, directWith, type State } from "../state/model.ts"
import { joined } from "../state/outgoing.ts"
import { keep, kept, keptNames } from "./kept.ts"
import { Store } from "./store.ts"

const pauseMilliseconds = 2_000
/** So long an emptied draft stays empty here whatever the server's says, of which events may still be on their way. */
const echoMilliseconds = 5_000

/** Where a draft belongs; null where it does not say. */
export const placeOf = (self: number, { type, to, topic }: Api.Draft): Conversation | null => {
  const [channel] = to
  if (type === "stream") return channel === undefined ? null : { kind: "topic", channel, topic }
  return type === "private" && to.length > 0 ? directWith(self, to) : null
}

export class Drafts {
  /** Counts texts that came back into a draft by themselves: what shows one reads it again. */
  readonly given = new Store(0)
  readonly #client: Client
  readonly #state: Store<State | null>
  readonly #user: number
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** The last that the server is told of each conversation, and the draft that it made there. */
  readonly #told = new Map<string, Promise<void>>()
  readonly #ids = new Map<string, number>()

  constructor(client: Client, state: Store<State | null>, user: number) {
    this.#client = client
    this.#state = state
    this.#user = user
    // Of a page that was left right after a send: by now the server's drafts are right.
    for (const name of keptNames(this.#name(""))) if (kept(name) === "") keep(name, null)
  }

  #name(key: string): string {
    return `typed.${this.#user}.${key}`
  }

  #serverDraft(key: string): Api.Draft | undefined {
    const drafts = this.#state.value?.drafts.values() ?? []
    return [...drafts].find((draft) => {
      const place = placeOf(this.#user, draft)
      return place !== null && conversationKey(place) === key
    })
  }

  read(conversation: Conversation): string {
    const key = conversationKey(conversation)
    return kept(this.#name(key)) ?? this.#serverDraft(key)?.content ?? ""
  }

  write(conversation: Conversation, content: string): void {
    const key = conversationKey(conversation)
    // An empty text, too: until the server has dropped its draft, that is no longer what stands there.
    keep(this.#name(key), content)
    clearTimeout(this.#timers.get(key))
    if (content === "") return this.#tell(conversation, key, content)
    this.#timers.set(
      key,
      setTimeout(() => this.#tell(conversation, key, content), pauseMilliseconds),
    )
  }

  /** Puts a text back that could not be sent. */
  give(conversation: Conversation, content: string): void {
    this.write(conversation, joined(content, this.read(conversation)))
    this.given.change((turn) => turn + 1)
  }

  /** Throws one of the server's away, and what is typed there. */
  async drop(draft: Api.Draft): Promise<void> {
    const place = placeOf(this.#user, draft)
    const key = place === null ? null : conversationKey(place)
    if (key !== null) {
      clearTimeout(this.#timers.get(key))
      this.#timers.delete(key)
      this.#ids.delete(key)
      this.#show(key, "")
    }
    try {
      await this.#client.call("DELETE /drafts/{draft_id}", { draft_id: draft.id })
      if (key !== null) setTimeout(() => this.#settle(key), echoMilliseconds)
    } catch (error) {
      if (key !== null) this.#show(key, null)
      throw error
    }
  }

  /** Not typed there, but to be seen. Null: what the server has. */
  #show(key: string, content: string | null): void {
    keep(this.#name(key), content)
    this.given.change((turn) => turn + 1)
  }

  #tell(conversation: Conversation, key: string, content: string): void {
    this.#timers.delete(key)
    const before = this.#told.get(key) ?? Promise.resolve()
    const told = before.then(() => this.#put(conversation, key, content)).catch(() => undefined)
    this.#told.set(key, told)
    void told.then(() => {
      if (this.#told.get(key) === told) this.#told.delete(key)
    })
    if (content === "") setTimeout(() => this.#settle(key), echoMilliseconds)
  }

  #settle(key: string): void {
    if (kept(this.#name(key)) === "" && !this.#told.has(key)) keep(this.#name(key), null)
  }

  async #put(conversation: Conversation, key: string, content: string): Promise<void> {
    const draft_id = this.#serverDraft(key)?.id ?? this.#ids.get(key)
    if (content.trim() === "") {
      this.#ids.delete(key)
      if (draft_id !== undefined) await this.#client.call("DELETE /drafts/{draft_id}", { draft_id })
      return
    }
    const [type, to, topic] =
      conversation.kind === "topic"
        ? (["stream", [conversation.channel], conversation.topic] as const)
        : (["private", conversation.users, ""] as const)
    const draft = { type, to, topic, content, timestamp: Math.floor(Date.now() / 1000) }
    if (draft_id !== undefined) {
      try {
        await this.#client.call("PATCH /drafts/{draft_id}", { draft_id, draft })
        return
      } catch (error) {
        // Another device has thrown it away meanwhile.
        if (!(error instanceof Refused)) throw error
      }
    }
    const { ids } = await this.#client.call("POST /drafts", { drafts: [draft] })
    const [id] = ids
    if (id !== undefined) this.#ids.set(key, id)
  }
}
