/** One signed-in account: its client, its state that events move, and what can be done. Views get it by context. */
import {
  type Account,
  Client,
  type Item,
  isRefused,
  type QueueReader,
  Refused,
  Unanswered,
} from "../../client/index.ts"
import { isHeard } from "../state/feed.ts"
import type { Conversation, State } from "../state/model.ts"
import { type Place, readHash } from "../state/narrow.ts"
import { reduce } from "../state/reduce.ts"
import { startState } from "../state/start.ts"
import { words } from "../words/words.ts"
import { Drafts } from "./drafts.ts"
import { Files } from "./files.ts"
import { shelf } from "./kept.ts"
import { Line } from "./line.ts"
import { Marks } from "./marks.ts"
import { Outbox } from "./outbox.ts"
import { Reading } from "./reading.ts"
import { Store } from "./store.ts"
import { Typing } from "./typing.ts"
import { firstUi, type Ui } from "./ui.ts"
import { Uploads } from "./uploads.ts"

const registered = {
  apply_markdown: true,
  client_gravatar: false,
  include_subscribers: false,
  slim_presence: true,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    stream_typing_notifications: true,
    user_settings_object: true,
  },
}

const reasonOf = (error: unknown): string => {
  if (error instanceof Refused) return error.body.msg
  if (error instanceof Unanswered) return words.noAnswer
  return error instanceof Error ? error.message : String(error)
}

/** Rendered text without its tags, to be read out. */
const plainText = (html: string): string =>
  new DOMParser().parseFromString(html.replaceAll(/<[^>]*>/g, " "), "text/html").body.textContent.trim()

/** What is shown to whoever visits for the first time. */
const firstPlace: Place = { narrow: { kind: "all" }, near: null }
const presenceMilliseconds = 50_000
const sayMilliseconds = 6_000
/** For what should be read though one was away. */
const longMilliseconds = 600_000

export class Chat {
  readonly account: Account
  readonly line = new Line()
  readonly client: Client
  readonly state = new Store<State | null>(null)
  /** Why nothing comes any more, or never did: the page must be loaded again, or signed out of. */
  readonly ended = new Store<string | null>(null)
  readonly ui: Store<Ui>
  readonly files: Files
  readonly uploads: Uploads
  readonly marks: Marks
  readonly typing: Typing
  readonly reading: Reading
  readonly #onEnd: () => void
  readonly #onState: (self: number) => void
  #reader: QueueReader | null = null
  #outbox: Outbox | null = null
  #drafts: Drafts | null = null

  /** `onEnd`: the key is no longer good. `onState`: the state of the account, whose id this is, has come. */
  constructor(account: Account, onEnd: () => void, onState: (self: number) => void) {
    this.account = account
    this.#onEnd = onEnd
    this.#onState = onState
    const { fetch, WebSocket } = this.line
    const pauses = { firstMilliseconds: 250, mostMilliseconds: 4_000 }
    this.client = new Client({ server: location.origin, account, fetch, WebSocket, pauses })
    this.ui = new Store(firstUi(readHash(location.hash) ?? firstPlace))
    this.files = new Files(account, this.line)
    this.uploads = new Uploads(account, this.line)
    this.marks = new Marks(this.client)
    this.typing = new Typing(this.client)
    this.reading = new Reading(this.client, this.state, this.ui)
  }

  /** There once the state is. */
  get outbox(): Outbox | null {
    return this.#outbox
  }

  get drafts(): Drafts | null {
    return this.#drafts
  }

  start(): void {
    addEventListener("hashchange", this.#onHash)
    this.line.isAway.listen(() => {
      // What could not be read while the server was away is read now.
      if (!this.line.isAway.value && this.ui.value.fault !== null) void this.reading.open(this.ui.value.place)
    })
    this.#read().catch((error) => {
      if (error instanceof Refused && error.status === 401) this.#onEnd()
      else this.ended.change(() => reasonOf(error))
    })
    const ping = () => {
      if (document.visibilityState !== "visible") return
      const params = { status: document.hasFocus() ? "active" : "idle", ping_only: true, new_user_input: true }
      this.client.call("POST /users/me/presence", params, { retries: false }).catch(() => undefined)
    }
    ping()
    setInterval(ping, presenceMilliseconds)
  }

  readonly #onHash = (): void => {
    const place = readHash(location.hash)
    if (place !== null) this.#go(place)
  }

  #go(place: Place): void {
    this.ui.change((ui) => ({
      ...ui,
      place,
      dialog: null,
      isMenuOpen: false,
      editing: null,
      reactingTo: null,
      selected: null,
      replyTo: null,
      fault: null,
    }))
    void this.reading.open(place)
  }

  async #read(): Promise<void> {
    this.#reader = this.client.read(registered)
    for await (const item of this.#reader) this.#take(item)
  }

  #take(item: Item): void {
    if (item.kind === "event") {
      const { event } = item
      const before = this.state.value
      this.reading.note(event)
      this.state.change((state) => state && reduce(state, event, Date.now()))
      if (event.type === "update_message" && this.state.value?.topics !== before?.topics) this.reading.topicsAgain()
      if (event.type !== "message") return
      this.#outbox?.came(event.message.id, event.local_message_id ?? event.local_id)
      const { sender_id, sender_full_name, content } = event.message
      if (isHeard(before, this.state.value, sender_id))
        this.show({ heard: `${sender_full_name}: ${plainText(content)}` })
      return
    }
    const fresh = startState(item.state)
    // What is on the screen stays there until it has been read again.
    this.state.change((state) => ({ ...fresh, feed: state?.feed ?? null }))
    this.#onState(fresh.self.id)
    const drafts = this.#drafts ?? new Drafts(this.client, this.state, fresh.self.id, shelf)
    this.#drafts = drafts
    drafts.again()
    this.#outbox ??= new Outbox(this.client, fresh.self.id, {
      onOld: ({ conversation, content }) => {
        drafts.give(conversation, content)
        this.say(words.waitedTooLong, longMilliseconds)
      },
      onMissing: () => this.reading.catchUp(),
    })
    void this.reading.open(this.ui.value.place)
  }

  send(conversation: Conversation, content: string): void {
    this.typing.stop()
    this.#drafts?.write(conversation, "")
    this.#outbox?.add(conversation, content, this.#reader?.queueId || "page")
    if (this.state.value?.feed?.hasNewest === false) void this.try(this.reading.newest())
  }

  show(change: Partial<Ui>): void {
    this.ui.change((ui) => ({ ...ui, ...change }))
  }

  say(notice: string, milliseconds = sayMilliseconds): void {
    this.show({ notice })
    setTimeout(() => this.ui.change((ui) => (ui.notice === notice ? { ...ui, notice: null } : ui)), milliseconds)
  }

  /** Does something and says why where it does not work; answers whether it did. */
  async try(done: Promise<unknown>): Promise<boolean> {
    try {
      await done
      return true
    } catch (error) {
      this.say(reasonOf(error))
      return false
    }
  }

  react(message_id: number, emoji_name: string, isAdded: boolean): void {
    const params = { message_id, emoji_name }
    const asked = isAdded
      ? this.client.call("POST /messages/{message_id}/reactions", params)
      : this.client.call("DELETE /messages/{message_id}/reactions", params)
    void this.try(
      asked.catch((error: unknown) => {
        const isThere =
          isRefused(error, "POST /messages/{message_id}/reactions") && error.code === "REACTION_ALREADY_EXISTS"
        if (!isThere) throw error
      }),
    )
  }

  flag(id: number, flag: "starred" | "read", isAdded: boolean): void {
    void this.try(this.client.call("POST /messages/flags", { messages: [id], op: isAdded ? "add" : "remove", flag }))
  }
}
