/** Reads messages of a place, and what comes before and after them as one scrolls. */
import { type Api, type Client, type Event, Refused, Unanswered } from "../../client/index.ts"
import { addNewer, addOlder, openFeed } from "../state/feed.ts"
import type { Feed, Narrow, Post, State } from "../state/model.ts"
import { channelOf, filtersOf, narrowKey, type Place } from "../state/narrow.ts"
import { readPost } from "../state/posts.ts"
import { reduce } from "../state/reduce.ts"
import { words } from "../words/words.ts"
import type { Store } from "./store.ts"
import type { Ui } from "./ui.ts"

const firstBefore = 60
const firstAfter = 40
/** Small enough to be drawn between two frames, or nearly. */
const pageSize = 40
/** Everybody hears of a move at once, so topics are asked again at times that differ. */
const topicsMilliseconds = 500

interface Page {
  readonly posts: ReadonlyArray<Post>
  readonly hasOldest: boolean
  readonly hasNewest: boolean
}

const faultOf = (error: unknown): string => {
  if (error instanceof Refused) return error.body.msg
  return error instanceof Unanswered ? words.noAnswer : String(error)
}

export class Reading {
  readonly #client: Client
  readonly #state: Store<State | null>
  readonly #ui: Store<Ui>
  /** Counts places: an answer for one that was left is of no use. */
  #turn = 0
  #isReading = false
  /** Events since the oldest answer that is waited for was asked: it may have been made before them. */
  #meanwhile: ReadonlyArray<Event> = []
  #asked = 0
  #topicsTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, state: Store<State | null>, ui: Store<Ui>) {
    this.#client = client
    this.#state = state
    this.#ui = ui
  }

  note(event: Event): void {
    if (this.#asked > 0) this.#meanwhile = [...this.#meanwhile, event]
  }

  async #ask(narrow: Narrow, anchor: string, num_before: number, num_after: number): Promise<Page> {
    const self = this.#state.value?.self.id ?? 0
    const params = {
      anchor,
      num_before,
      num_after,
      narrow: filtersOf(narrow),
      apply_markdown: true,
      client_gravatar: false,
    }
    if (this.#asked++ === 0) this.#meanwhile = []
    try {
      const { messages, found_oldest, found_newest } = await this.#client.call("GET /messages", params)
      const posts = messages.map((message: Api.Message) => readPost(self, message, message.flags))
      return { posts, hasOldest: found_oldest, hasNewest: found_newest }
    } finally {
      this.#asked--
    }
  }

  #setFeed(change: (feed: Feed | null) => Feed | null): void {
    this.#state.change((state) => {
      if (state === null) return state
      const start: State = { ...state, feed: change(state.feed) }
      const { feed } = this.#meanwhile.reduce((now, event) => reduce(now, event, 0), start)
      return { ...state, feed }
    })
  }

  async open({ narrow, near }: Place): Promise<void> {
    if (this.#state.value === null) return
    const turn = ++this.#turn
    this.#isReading = false
    const isNew = narrow.kind !== "search" && narrow.kind !== "starred" && near === null
    try {
      const page = await this.#ask(
        narrow,
        near === null ? (isNew ? "first_unread" : "newest") : String(near),
        firstBefore,
        firstAfter,
      )
      if (turn !== this.#turn) return
      this.#ui.change((ui) => (ui.fault === null ? ui : { ...ui, fault: null }))
      this.#setFeed(() => openFeed(narrow, page.posts, page))
      void this.#topics()
    } catch (error) {
      if (turn !== this.#turn) return
      this.#ui.change((ui) => ({ ...ui, fault: faultOf(error) }))
      this.#setFeed(() => openFeed(narrow, [], { hasOldest: true, hasNewest: true }))
    }
  }

  /** To the newest, from wherever one has scrolled to. */
  async newest(): Promise<void> {
    const { narrow } = this.#ui.value.place
    const turn = ++this.#turn
    this.#isReading = false
    const page = await this.#ask(narrow, "newest", firstBefore, 0)
    if (turn === this.#turn) this.#setFeed(() => openFeed(narrow, page.posts, page))
  }

  async more(where: "older" | "newer"): Promise<void> {
    const feed = this.#state.value?.feed
    if (feed === null || feed === undefined || this.#isReading) return
    if (where === "older" ? feed.hasOldest : feed.hasNewest) return
    const edge = where === "older" ? feed.posts[0] : feed.posts.at(-1)
    if (edge === undefined) return
    const turn = this.#turn
    this.#isReading = true
    try {
      const page = await this.#ask(
        feed.narrow,
        String(edge.id),
        where === "older" ? pageSize : 0,
        where === "newer" ? pageSize : 0,
      )
      if (turn !== this.#turn) return
      this.#setFeed((now) => {
        if (now === null || narrowKey(now.narrow) !== narrowKey(feed.narrow)) return now
        return where === "older" ? addOlder(now, page.posts, page.hasOldest) : addNewer(now, page.posts, page.hasNewest)
      })
    } catch {
      // Asked again at the next scroll.
    } finally {
      if (turn === this.#turn) this.#isReading = false
    }
  }

  /** What has come after the last that is shown and was not told; nothing where the end is not shown. Rejects if it cannot be read. */
  async catchUp(): Promise<void> {
    const feed = this.#state.value?.feed
    if (feed === null || feed === undefined || !feed.hasNewest) return
    if (feed.posts.length === 0) return this.newest()
    const turn = this.#turn
    const page = await this.#ask(feed.narrow, String(feed.posts.at(-1)?.id ?? 0), 0, pageSize)
    if (turn === this.#turn) this.#setFeed((now) => now && addNewer(now, page.posts, page.hasNewest))
  }

  /** After a move, whose channels have no list any more: gathered, because messages may be moved one by one. */
  topicsAgain(): void {
    const milliseconds = topicsMilliseconds * (1 + Math.random())
    this.#topicsTimer ??= setTimeout(() => {
      this.#topicsTimer = undefined
      void this.#topics()
    }, milliseconds)
  }

  /** The topics of the channel that is shown, newest first; asked once. */
  async #topics(): Promise<void> {
    const channel = channelOf(this.#ui.value.place.narrow)
    if (channel === null || this.#state.value?.topics.has(channel) !== false) return
    try {
      const { topics } = await this.#client.call("GET /users/me/{stream_id}/topics", { stream_id: channel })
      this.#state.change((state) => state && { ...state, topics: new Map(state.topics).set(channel, topics) })
    } catch {
      // A channel that may not be read has no topics to show.
    }
  }
}
