/**
 * What was typed and not sent. The browser keeps it at each key, so that nothing is lost whatever happens to page and server; the
 * server gets it after a pause, so that other devices have it. What the server is told of one conversation goes one after the other:
 * a text that was sent must not overtake its own draft.
 */
import { type Api, type Client, Refused } from "../../client/index.ts"
import { droppedDraftText, isDroppedDraft, readDroppedDraft } from "../state/dropped-drafts.ts"
import { type Conversation, conversationKey, directWith, type PageState } from "../state/model.ts"
import { following, joined } from "../state/resend-rules.ts"
import { Observable } from "./observable.ts"
import type { TextStore } from "./text-store.ts"

export interface DraftPauses {
  /** From the last key until the server is told. */
  readonly typing: number
  /** So long events of what the server was told may be on their way; then it is told again what it has not dropped. */
  readonly echo: number
  readonly mostEcho: number
}

const usual: DraftPauses = { typing: 2_000, echo: 5_000, mostEcho: 60_000 }

/** Who types while the server is away asks often. */
const mostAsked = 50

/** Where a draft belongs; null where it does not say. */
export const draftKey = (self: number, { type, to, topic }: Api.Draft): Conversation | null => {
  const [channel] = to
  if (type === "stream") return channel === undefined ? null : { kind: "topic", channel, topic }
  return type === "private" && to.length > 0 ? directWith(self, to) : null
}

/** There is no such draft, or may not be: to ask again is of no use. */
const isFinal = (error: unknown): boolean => error instanceof Refused && error.status < 500 && !error.isForNow

export class DraftStore {
  /** Counts texts that came back into a draft by themselves, by `conversationKey`: what shows one reads it again. */
  readonly given = new Observable<ReadonlyMap<string, number>>(new Map())
  readonly #client: Client
  readonly #state: Observable<PageState | null>
  readonly #user: number
  readonly #shelf: TextStore
  readonly #pauses: DraftPauses
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** The last that the server is told of each conversation, and the draft that it made there. */
  readonly #told = new Map<string, Promise<void>>()
  readonly #ids = new Map<string, number>()
  /** Unix seconds of drafts that the server was asked to make and has not answered. */
  readonly #asked = new Map<string, ReadonlyArray<number>>()

  /** `again` is to be called then, too. */
  constructor(client: Client, state: Observable<PageState | null>, user: number, shelf: TextStore, pauses = usual) {
    this.#client = client
    this.#state = state
    this.#user = user
    this.#shelf = shelf
    this.#pauses = pauses
    let seen = state.value?.drafts
    state.listen(() => {
      const drafts = state.value?.drafts
      if (drafts === seen) return
      seen = drafts
      // One whose answer was lost may have come.
      for (const key of this.#asked.keys()) if (!this.#timers.has(key)) this.#settle(key)
    })
  }

  /** The state has been read anew: what the server has not dropped then, it was not told. */
  again(): void {
    for (const key of this.#asked.keys()) if (!this.#told.has(key)) this.#asked.delete(key)
    const prefix = this.#name("")
    for (const name of this.#shelf.names(prefix)) this.#settle(name.slice(prefix.length))
  }

  #name(key: string): string {
    return `typed.${this.#user}.${key}`
  }

  #serverDrafts(key: string): ReadonlyArray<Api.Draft> {
    const drafts = this.#state.value?.drafts.values() ?? []
    return [...drafts].filter((draft) => {
      const place = draftKey(this.#user, draft)
      return place !== null && conversationKey(place) === key
    })
  }

  read(conversation: Conversation): string {
    const key = conversationKey(conversation)
    const kept = this.#shelf.kept(this.#name(key))
    if (readDroppedDraft(kept) !== null) return ""
    return kept ?? this.#serverDrafts(key)[0]?.content ?? ""
  }

  write(conversation: Conversation, content: string): void {
    const key = conversationKey(conversation)
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    if (content.trim() === "") {
      // Until the server has dropped its draft, that is no longer what stands there.
      const isMarked = readDroppedDraft(this.#shelf.kept(this.#name(key))) !== null
      this.#mark(key, isMarked ? undefined : this.#serverDrafts(key)[0]?.id)
      return this.#empty(key)
    }
    this.#shelf.keep(this.#name(key), content)
    this.#later(key, this.#pauses.typing, () => this.#offer(conversation, key, content))
  }

  /** Puts a text back that could not be sent. */
  give(conversation: Conversation, content: string): void {
    this.write(conversation, joined(content, this.read(conversation)))
    this.#show(conversationKey(conversation))
  }

  /** Puts something after what was typed. */
  add(conversation: Conversation, content: string): void {
    const typed = this.read(conversation)
    this.write(conversation, typed + following(typed, content))
    this.#show(conversationKey(conversation))
  }

  /** What is written goes along with its conversation. */
  move(from: Conversation, to: Conversation): void {
    const typed = this.read(from)
    if (conversationKey(from) === conversationKey(to) || typed === "") return
    this.write(from, "")
    this.#show(conversationKey(from))
    this.give(to, typed)
  }

  /** Another tab of this browser has changed what is kept under the name. */
  heard(name: string): void {
    const prefix = this.#name("")
    if (name.startsWith(prefix)) this.#show(name.slice(prefix.length))
  }

  /** Throws one of the server's away, and what is typed there. */
  async drop(draft: Api.Draft): Promise<void> {
    const place = draftKey(this.#user, draft)
    if (place === null) return this.#delete(draft.id)
    const key = conversationKey(place)
    const name = this.#name(key)
    const before = this.#shelf.kept(name)
    clearTimeout(this.#timers.get(key))
    this.#timers.delete(key)
    const marked = this.#mark(key, draft.id)
    this.#show(key)
    try {
      await this.#tell(key, () => this.#delete(draft.id))
      if (this.#ids.get(key) === draft.id) this.#ids.delete(key)
      if (!this.#timers.has(key)) this.#later(key, this.#pauses.echo, () => this.#settle(key))
    } catch (error) {
      if (this.#shelf.kept(name) === marked) this.#shelf.keep(name, before)
      this.#show(key)
      throw error
    }
  }

  /** Not typed there, but to be seen. */
  #show(key: string): void {
    this.given.change((turns) => new Map(turns).set(key, (turns.get(key) ?? 0) + 1))
  }

  /** In place of a text that is no more: what of the server's goes with it. */
  #mark(key: string, draft: number | undefined): string {
    const before = readDroppedDraft(this.#shelf.kept(this.#name(key)))
    const ids = [before?.ids ?? [], draft ?? [], this.#ids.get(key) ?? []].flat()
    const asked = [before?.asked ?? [], this.#asked.get(key) ?? []].flat()
    const text = droppedDraftText({ ids: [...new Set(ids)], asked: [...new Set(asked)] })
    this.#shelf.keep(this.#name(key), text)
    return text
  }

  #later(key: string, milliseconds: number, act: () => void): void {
    clearTimeout(this.#timers.get(key))
    const timer = setTimeout(() => {
      this.#timers.delete(key)
      act()
    }, milliseconds)
    this.#timers.set(key, timer)
  }

  /** After all that the server is told of it already. */
  #tell(key: string, say: () => Promise<void>): Promise<void> {
    const said = (this.#told.get(key) ?? Promise.resolve()).then(say)
    const told = said.catch(() => undefined)
    this.#told.set(key, told)
    void told.then(() => {
      if (this.#told.get(key) === told) this.#told.delete(key)
    })
    return said
  }

  #offer(conversation: Conversation, key: string, content: string): void {
    const timestamp = Math.floor(Date.now() / 1000)
    this.#asked.set(key, [...(this.#asked.get(key) ?? []), timestamp].slice(-mostAsked))
    // What fails is kept here, and goes with the next key or the next page.
    this.#tell(key, () => this.#put(conversation, key, content, timestamp)).catch(() => undefined)
  }

  #answered(key: string, timestamp: number): void {
    const left = (this.#asked.get(key) ?? []).filter((each) => each !== timestamp)
    if (left.length > 0) this.#asked.set(key, left)
    else this.#asked.delete(key)
  }

  /** `pause`: milliseconds until it is looked whether the server has done it. */
  #empty(key: string, pause = this.#pauses.echo): void {
    const look = () => {
      if (this.#told.has(key) || this.#timers.has(key) || readDroppedDraft(this.#shelf.kept(this.#name(key))) === null)
        return
      this.#later(key, pause, () => this.#settle(key, Math.min(2 * pause, this.#pauses.mostEcho)))
    }
    this.#tell(key, () => this.#clear(key)).catch(() => undefined)
    void this.#told.get(key)?.then(look)
  }

  /** What the server still has of an emptied draft it is told again; where it has nothing, nothing is kept here. */
  #settle(key: string, pause = this.#pauses.echo): void {
    const gone = readDroppedDraft(this.#shelf.kept(this.#name(key)))
    if (gone === null || this.#told.has(key)) return
    if (this.#ids.has(key) || this.#serverDrafts(key).some((draft) => isDroppedDraft(gone, draft)))
      this.#empty(key, pause)
    else if (!this.#asked.has(key)) this.#shelf.keep(this.#name(key), null)
  }

  async #delete(draft_id: number): Promise<void> {
    await this.#client.call("DELETE /drafts/{draft_id}", { draft_id })
  }

  async #clear(key: string): Promise<void> {
    const gone = readDroppedDraft(this.#shelf.kept(this.#name(key)))
    const there = gone === null ? [] : this.#serverDrafts(key).filter((draft) => isDroppedDraft(gone, draft))
    for (const id of new Set([this.#ids.get(key) ?? [], there.map(({ id }) => id)].flat())) {
      await this.#delete(id).catch((error: unknown) => {
        // It is gone already.
        if (!isFinal(error)) throw error
      })
      if (this.#ids.get(key) === id) this.#ids.delete(key)
    }
    for (const { timestamp } of there) this.#answered(key, timestamp)
  }

  async #put(conversation: Conversation, key: string, content: string, timestamp: number): Promise<void> {
    const [type, to, topic] =
      conversation.kind === "topic"
        ? (["stream", [conversation.channel], conversation.topic] as const)
        : (["private", conversation.users, ""] as const)
    const draft = { type, to, topic, content, timestamp }
    const draft_id = this.#serverDrafts(key)[0]?.id ?? this.#ids.get(key)
    if (draft_id !== undefined) {
      try {
        await this.#client.call("PATCH /drafts/{draft_id}", { draft_id, draft })
        return this.#answered(key, timestamp)
      } catch (error) {
        if (!isFinal(error)) {
          // Its number is known whatever became of it.
          this.#answered(key, timestamp)
          throw error
        }
        // Another device has thrown it away meanwhile.
        if (this.#ids.get(key) === draft_id) this.#ids.delete(key)
      }
    }
    try {
      const { ids } = await this.#client.call("POST /drafts", { drafts: [draft] })
      const [id] = ids
      if (id !== undefined) this.#ids.set(key, id)
      this.#answered(key, timestamp)
    } catch (error) {
      if (isFinal(error)) this.#answered(key, timestamp)
      throw error
    }
  }
}
