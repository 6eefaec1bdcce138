/**
 * What was typed and not sent. The browser keeps it at each key, so that nothing is lost whatever happens to page and server; the
 * server gets it after a pause, so that other devices have it.
 */
import type { Client } from "../../client/index.ts"
import { type Conversation, conversationKey, type State } from "../state/model.ts"
import { keep, kept } from "./kept.ts"
import type { Store } from "./store.ts"

const pauseMilliseconds = 2_000

const isOf = (key: string, self: number, draft: { type: string; to: readonly number[]; topic: string }): boolean => {
  if (draft.type === "stream") return key === `${draft.to[0] ?? 0}:${draft.topic.toLowerCase()}`
  const users = draft.to.filter((user) => user !== self).sort((a, b) => a - b)
  return key === `direct:${(users.length === 0 ? [self] : users).join(",")}`
}

export class Drafts {
  readonly #client: Client
  readonly #state: Store<State | null>
  readonly #user: number
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()

  constructor(client: Client, state: Store<State | null>, user: number) {
    this.#client = client
    this.#state = state
    this.#user = user
  }

  #name(key: string): string {
    return `typed.${this.#user}.${key}`
  }

  #serverDraft(key: string) {
    const drafts = this.#state.value?.drafts.values() ?? []
    return [...drafts].find((draft) => isOf(key, this.#user, draft))
  }

  read(conversation: Conversation): string {
    const key = conversationKey(conversation)
    return kept(this.#name(key)) ?? this.#serverDraft(key)?.content ?? ""
  }

  write(conversation: Conversation, content: string): void {
    const key = conversationKey(conversation)
    keep(this.#name(key), content === "" ? null : content)
    clearTimeout(this.#timers.get(key))
    this.#timers.set(
      key,
      setTimeout(() => this.#tell(conversation, key, content), content === "" ? 0 : pauseMilliseconds),
    )
  }

  #tell(conversation: Conversation, key: string, content: string): void {
    this.#timers.delete(key)
    const known = this.#serverDraft(key)
    const [type, to, topic] =
      conversation.kind === "topic"
        ? (["stream", [conversation.channel], conversation.topic] as const)
        : (["private", conversation.users, ""] as const)
    const draft = { type, to, topic, content, timestamp: Math.floor(Date.now() / 1000) }
    this.#put(draft, known?.id).catch(() => undefined)
  }

  #put(draft: { type: "stream" | "private"; to: readonly number[]; topic: string; content: string }, id?: number) {
    if (draft.content.trim() === "")
      return id === undefined ? Promise.resolve({}) : this.#client.call("DELETE /drafts/{draft_id}", { draft_id: id })
    return id === undefined
      ? this.#client.call("POST /drafts", { drafts: [draft] })
      : this.#client.call("PATCH /drafts/{draft_id}", { draft_id: id, draft })
  }
}
