/** Tells others that somebody types here: at the start, again every few seconds, and at the end. */
import type { Client } from "../../client/index.ts"
import { type Conversation, conversationKey } from "../state/model.ts"

const againMilliseconds = 8_000
const stopMilliseconds = 5_000

export class TypingNotifier {
  readonly #client: Client
  #at: { readonly conversation: Conversation; told: number } | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client) {
    this.#client = client
  }

  type(conversation: Conversation): void {
    if (this.#at !== null && conversationKey(this.#at.conversation) !== conversationKey(conversation)) this.stop()
    this.#at ??= { conversation, told: Number.NEGATIVE_INFINITY }
    if (performance.now() - this.#at.told > againMilliseconds) {
      this.#at.told = performance.now()
      this.#tell(conversation, "start")
    }
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), stopMilliseconds)
  }

  stop(): void {
    clearTimeout(this.#timer)
    if (this.#at !== null) this.#tell(this.#at.conversation, "stop")
    this.#at = null
  }

  /** A mark that is lost is no harm. */
  #tell(conversation: Conversation, op: "start" | "stop"): void {
    const to =
      conversation.kind === "topic"
        ? ({ type: "stream", stream_id: conversation.channel, topic: conversation.topic } as const)
        : ({ type: "direct", to: conversation.users } as const)
    if (conversation.kind === "topic" && conversation.topic === "") return
    this.#client.call("POST /typing", { ...to, op }, { retries: false }).catch(() => undefined)
  }
}
