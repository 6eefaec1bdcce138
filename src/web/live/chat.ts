/** One signed-in account: its client, its state that events move, and what can be done. Views get it by context. */
import { type Account, Client, type Event, type Item, isRefused, type QueueReader } from "../../client/index.ts"
import { isAnnounced } from "../state/feed.ts"
import { startState } from "../state/initial-state.ts"
import type { Conversation, PageState } from "../state/model.ts"
import { deletedBy } from "../state/moved-messages.ts"
import { hashOf, type PagePlace, readHash } from "../state/narrow.ts"
import { placeChangeIn } from "../state/place-changes.ts"
import { reduce } from "../state/reduce/reduce.ts"
import { words } from "../words/words.ts"
import { UserAttention } from "./attention.ts"
import { listenToStorage, textStore } from "./browser-storage.ts"
import { type ConfirmQuestion, ConfirmQuestions } from "./confirm-questions.ts"
import { DraftStore } from "./drafts.ts"
import { faultText, lockedOut } from "./fault-texts.ts"
import { endEdits, follow } from "./follow-events.ts"
import { MessageEdits } from "./message-edits.ts"
import { MessageLoader } from "./message-loader.ts"
import { MessagePictures } from "./message-pictures.ts"
import { Observable } from "./observable.ts"
import { PendingSends } from "./pending-sends.ts"
import { ReadMarker } from "./read-marker.ts"
import { type ScrollAnchor, ScrollAnchors } from "./scroll-anchors.ts"
import { ServerConnection } from "./server-connection.ts"
import type { WhyLeft } from "./session.ts"
import { TypingNotifier } from "./typing-notifier.ts"
import { firstUi, type UiState } from "./ui-state.ts"
import { PageUploads } from "./uploads.ts"

const registered = {
  apply_markdown: true,
  client_gravatar: false,
  include_subscribers: false,
  slim_presence: true,
  client_capabilities: {
    notification_settings_null: true,
    bulk_message_deletion: true,
    archived_channels: true,
    stream_typing_notifications: true,
    user_settings_object: true,
  },
}

/** Rendered text without its tags, to be read out. */
const plainText = (html: string): string =>
  new DOMParser().parseFromString(html.replaceAll(/<[^>]*>/g, " "), "text/html").body.textContent.trim()

/** What is shown to whoever visits for the first time. */
const firstPlace: PagePlace = { narrow: { kind: "all" }, near: null }
const sayMilliseconds = 6_000
/** For what should be read though one was away. */
const longMilliseconds = 600_000

export class ChatSession {
  readonly account: Account
  readonly line = new ServerConnection()
  readonly client: Client
  readonly state = new Observable<PageState | null>(null)
  /** Why nothing comes any more, or never did: the page must be loaded again, or signed out of. */
  readonly ended = new Observable<string | null>(null)
  readonly ui: Observable<UiState>
  readonly questions = new ConfirmQuestions()
  /** One thing for each form in the open dialog that has something unsaved. */
  readonly unsaved = new Set<object>()
  readonly files: MessagePictures
  readonly uploads: PageUploads
  readonly marks: ReadMarker
  readonly typing: TypingNotifier
  readonly reading: MessageLoader
  readonly anchors = new ScrollAnchors()
  readonly #onEnd: (why: WhyLeft) => void
  readonly #onState: (self: number) => void
  #reader: QueueReader | null = null
  #outbox: PendingSends | null = null
  #drafts: DraftStore | null = null
  #edits: MessageEdits | null = null

  /** `onEnd`: the key is no longer good. `onState`: the state of the account, whose id this is, has come. */
  constructor(account: Account, onEnd: (why: WhyLeft) => void, onState: (self: number) => void) {
    this.account = account
    this.#onEnd = onEnd
    this.#onState = onState
    const { fetch, WebSocket } = this.line
    const pauses = { firstMilliseconds: 250, mostMilliseconds: 4_000 }
    this.client = new Client({ server: location.origin, account, fetch, WebSocket, pauses })
    this.ui = new Observable(firstUi(readHash(location.hash) ?? firstPlace))
    this.files = new MessagePictures(account, this.line)
    this.uploads = new PageUploads(account, this.line)
    this.marks = new ReadMarker(this.client)
    this.typing = new TypingNotifier(this.client)
    this.reading = new MessageLoader(this.client, this.state, this.ui)
  }

  /** There once the state is. */
  get outbox(): PendingSends | null {
    return this.#outbox
  }

  get drafts(): DraftStore | null {
    return this.#drafts
  }

  get edits(): MessageEdits | null {
    return this.#edits
  }

  start(): void {
    addEventListener("hashchange", this.#onHash)
    this.line.isAway.listen(() => {
      // What could not be read while the server was away is read now.
      if (!this.line.isAway.value && this.ui.value.fault !== null) void this.reading.open(this.ui.value.place)
    })
    this.#read().catch((error) => {
      const why = lockedOut(error)
      if (why !== null) this.#onEnd(why)
      else this.ended.change(() => faultText(error))
    })
    listenToStorage((name, text) => {
      this.#drafts?.heard(name)
      this.#edits?.heard(name, text)
    })
    new UserAttention(this.client).start()
  }

  readonly #onHash = (): void => {
    const at = this.anchors.move()
    const place = readHash(location.hash)
    if (place !== null && this.unsaved.size > 0) return void this.#askToGo(place, at)
    if (place !== null) return this.#go(place, at)
    // The address leads nowhere: it says again what is shown.
    history.replaceState(history.state, "", hashOf(this.ui.value.place))
    this.say(words.noSuchPlace)
  }

  /** The browser has gone back already, and a form is open: where one stays, the address is put back. */
  async #askToGo(place: PagePlace, at: ScrollAnchor | null): Promise<void> {
    const { unsavedTitle: title, unsavedText: text, unsavedAction: action } = words
    if (await this.ask({ title, text, action, isDanger: true })) return this.#go(place, at)
    history.pushState(null, "", hashOf(this.ui.value.place))
    this.anchors.move()
  }

  #go(place: PagePlace, at: ScrollAnchor | null): void {
    this.marks.leave()
    this.questions.drop()
    this.ui.change((ui) => ({
      ...ui,
      place,
      notice: null,
      visit: ui.visit + 1,
      at,
      dialog: null,
      isMenuOpen: false,
      reactingTo: null,
      selected: null,
      replyTo: null,
      isComposing: false,
      fault: null,
    }))
    void this.reading.open(place, at?.id ?? null)
  }

  async #read(): Promise<void> {
    this.#reader = this.client.read(registered)
    for await (const item of this.#reader) this.#take(item)
  }

  #take(item: Item): void {
    if (item.kind === "event") return this.#hear(item.event)
    const fresh = startState(item.state)
    // What is on the screen stays there until it has been read again.
    this.state.change((state) => ({ ...fresh, feed: state?.feed ?? null }))
    this.#onState(fresh.self.id)
    const drafts = this.#drafts ?? new DraftStore(this.client, this.state, fresh.self.id, textStore)
    this.#drafts = drafts
    drafts.again()
    this.#edits ??= new MessageEdits(this.client, fresh.self.id, textStore)
    this.#outbox ??= new PendingSends(this.client, fresh.self.id, {
      onOld: ({ conversation, content }) => {
        drafts.give(conversation, content)
        this.say(words.waitedTooLong, longMilliseconds)
      },
      onMissing: () => this.reading.catchUp(),
    })
    // Whoever had scrolled back stays there; whoever was at the end begins at what came while nothing was heard.
    const { now } = this.anchors
    const isBack = now !== null && !now.isAtEnd
    void this.reading.open(this.ui.value.place, isBack ? now.id : null, !isBack)
  }

  #hear(event: Event): void {
    const before = this.state.value
    this.reading.note(event)
    this.state.change((state) => state && reduce(state, event, Date.now()))
    const after = this.state.value
    if (before === null || after === null) return
    if (event.type === "update_message" && after.topics !== before.topics) this.reading.topicsAgain()
    // Marked as unread, here or elsewhere: whoever looks at it has not read it by that.
    if (event.type === "update_message_flags" && event.op === "remove" && event.flag === "read")
      this.marks.hold(event.messages)
    const happened = placeChangeIn(this.ui.value.place.narrow, before, after, event)
    if (happened !== null) follow(this, happened, before.feed)
    if (event.type === "delete_message") endEdits(this, deletedBy(event), before.feed)
    if (event.type !== "message") return
    this.#outbox?.came(event.message.id, event.local_message_id ?? event.local_id)
    const { sender_id, sender_full_name, content } = event.message
    if (isAnnounced(before, after, sender_id)) this.show({ heard: `${sender_full_name}: ${plainText(content)}` })
  }

  send(conversation: Conversation, content: string): void {
    this.typing.stop()
    this.#drafts?.write(conversation, "")
    this.#outbox?.add(conversation, content, this.#reader?.queueId || "page")
    if (this.state.value?.feed?.hasNewest === false) void this.try(this.reading.newest())
  }

  show(change: Partial<UiState>): void {
    this.ui.change((ui) => ({ ...ui, ...change }))
  }

  /** `link`: of the page, to what it speaks of. */
  say(notice: string, milliseconds = sayMilliseconds, link: string | null = null): void {
    this.show({ notice, noticeLink: link })
    setTimeout(() => this.ui.change((ui) => (ui.notice === notice ? { ...ui, notice: null } : ui)), milliseconds)
  }

  /** `about`: what the question speaks of. Where that is another thing by the time of the answer, it was not answered. */
  async ask(question: ConfirmQuestion, about: (state: PageState) => string | undefined = () => ""): Promise<boolean> {
    const now = () => this.state.value && about(this.state.value)
    const before = now()
    if (!(await this.questions.ask(question))) return false
    if (now() === before) return true
    this.say(words.changedMeanwhile)
    return false
  }

  /** Does something and says why where it does not work; answers whether it did. */
  async try(done: Promise<unknown>): Promise<boolean> {
    try {
      await done
      return true
    } catch (error) {
      this.say(faultText(error))
      return false
    }
  }

  /** Opens a message to change it. */
  edit(id: number): void {
    void this.try(this.#edits?.begin(id) ?? Promise.resolve())
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
