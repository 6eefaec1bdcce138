/** Reads messages of a place, and what comes before and after them as one scrolls. */
import { type Api, type Client, type Event, Refused, Unanswered } from "../../client/index.ts"
import { addNewer, addOlder, openFeed } from "../state/feed.ts"
import type { PageFeed, PageNarrow, PagePost, PageState } from "../state/model.ts"
import { channelOf, filtersOf, narrowKey, type PagePlace } from "../state/narrow.ts"
import { reduce } from "../state/reduce/reduce.ts"
import { readPost } from "../state/wire-posts.ts"
import { words } from "../words/words.ts"
import type { Observable } from "./observable.ts"
import type { UiState } from "./ui-state.ts"

const firstBefore = 60
const firstAfter = 40
/** Small enough to be drawn between two frames, or nearly. */
const pageSize = 40
/** Everybody hears of a move at once, so topics are asked again at times that differ. */
const topicsMilliseconds = 500

interface LoadedPage {
  readonly posts: ReadonlyArray<PagePost>
  readonly hasOldest: boolean
  readonly hasNewest: boolean
}

/** Own words: the server's are of its API, and in one language. */
const faultOf = (error: unknown): string => {
  if (error instanceof Refused) return error.isForNow ? words.busy : words.cannotShow
  return error instanceof Unanswered ? words.noAnswer : String(error)
}

export class MessageLoader {
  readonly #client: Client
  readonly #state: Observable<PageState | null>
  readonly #ui: Observable<UiState>
  /** Counts places: an answer for one that was left is of no use. */
  #turn = 0
  #isReading = false
  /** Events since the oldest answer that is waited for was asked: it may have been made before them. */
  #meanwhile: ReadonlyArray<Event> = []
  #asked = 0
  #topicsTimer: ReturnType<typeof setTimeout> | undefined

  constructor(client: Client, state: Observable<PageState | null>, ui: Observable<UiState>) {
    this.#client = client
    this.#state = state
    this.#ui = ui
  }

  note(event: Event): void {
    if (this.#asked > 0) this.#meanwhile = [...this.#meanwhile, event]
  }

  async #ask(narrow: PageNarrow, anchor: string, num_before: number, num_after: number): Promise<LoadedPage> {
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

  #setFeed(change: (feed: PageFeed | null) => PageFeed | null): void {
    this.#state.change((state) => {
      if (state === null) return state
      const start: PageState = { ...state, feed: change(state.feed) }
      const { feed } = this.#meanwhile.reduce((now, event) => reduce(now, event, 0), start)
      return { ...state, feed }
    })
  }

  /** `around`: a message to begin at, which one was at before. `isAnew`: the list begins anew once it is read. */
  async open({ narrow, near }: PagePlace, around: number | null = null, isAnew = false): Promise<void> {
    if (this.#state.value === null) return
    const turn = ++this.#turn
    this.#isReading = false
    const at = around ?? near
    const isNew = narrow.kind !== "search" && narrow.kind !== "starred" && at === null
    try {
      const page = await this.#ask(
        narrow,
        at === null ? (isNew ? "first_unread" : "newest") : String(at),
        firstBefore,
        firstAfter,
      )
      if (turn !== this.#turn) return
      this.#ui.change((ui) => {
        const read = { ...ui, fault: null, readVisit: ui.visit }
        return isAnew ? { ...read, turn: ui.turn + 1, at: null } : read
      })
      this.#setFeed(() => openFeed(narrow, page.posts, page))
      void this.#topics()
    } catch (error) {
      if (turn !== this.#turn) return
      this.#ui.change((ui) => ({ ...ui, fault: faultOf(error), readVisit: ui.visit }))
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
