/** What the page does where something happens to the place that somebody looks at, or to what they write. */

import { type Conversation, conversationKey, type PageFeed, type PageState } from "../state/model.ts"
import { hashOf, linkTo, type PagePlace } from "../state/narrow.ts"
import { feedAfter, narrowAfter, type PlaceChange } from "../state/place-changes.ts"
import { words } from "../words/words.ts"
import type { DraftStore } from "./drafts.ts"
import type { MessageEdits } from "./message-edits.ts"
import type { MessageLoader } from "./message-loader.ts"
import type { Observable } from "./observable.ts"
import type { ScrollAnchors } from "./scroll-anchors.ts"
import type { UiState } from "./ui-state.ts"
import type { PageUploads } from "./uploads.ts"

/** What of the account it needs. */
interface FollowContext {
  readonly ui: Observable<UiState>
  readonly state: Observable<PageState | null>
  readonly drafts: DraftStore | null
  readonly edits: MessageEdits | null
  readonly uploads: PageUploads
  readonly reading: MessageLoader
  readonly anchors: ScrollAnchors
  readonly show: (change: Partial<UiState>) => void
  readonly say: (notice: string, milliseconds?: number, link?: string | null) => void
}

/** For what one has to read and may miss. */
const readMilliseconds = 20_000

/** What was typed over a message that is gone becomes a draft where it stood. `feed`: what was shown before. */
export const endEdits = (page: FollowContext, ids: ReadonlyArray<number>, feed: PageFeed | null): void => {
  for (const id of ids) {
    const text = page.edits?.open.value.get(id)
    if (text === undefined) continue
    page.edits?.end(id)
    const post = feed?.posts.find((each) => each.id === id)
    if (text === null || post === undefined) continue
    page.drafts?.give(post.conversation, text)
    page.say(words.editLost, readMilliseconds)
  }
}

/** A topic has moved, and with it what one reads and writes there. List and box stay as they are: one goes on. */
const goAlong = (page: FollowContext, from: Conversation, to: Conversation, feed: PageFeed | null): void => {
  page.drafts?.move(from, to)
  page.uploads.move(from, to)
  const { place, replyTo } = page.ui.value
  if (replyTo !== null && conversationKey(replyTo) === conversationKey(from)) page.show({ replyTo: to })
  const narrow = narrowAfter(place.narrow, from, to)
  if (narrow === place.narrow) return
  const next: PagePlace = { narrow, near: null }
  const shown = feedAfter(feed, place.narrow, narrow, to)
  page.show({ place: next })
  if (shown !== null) page.state.change((state) => state && { ...state, feed: shown })
  history.replaceState(history.state, "", hashOf(next))
  // There may have been messages where these went.
  void page.reading.open(next, page.anchors.now?.id ?? shown?.posts.at(-1)?.id ?? null)
  page.say(words.topicMoved)
}

/** `feed`: what was shown before. */
export const follow = (page: FollowContext, happened: PlaceChange, feed: PageFeed | null): void => {
  if (happened.kind === "moved") return goAlong(page, happened.from, happened.to, feed)
  if (happened.kind === "part-moved") {
    const link = linkTo({ kind: "conversation", conversation: happened.to })
    return page.say(words.partMoved(happened.count), readMilliseconds, link)
  }
  if (happened.kind === "found") return void page.reading.open(page.ui.value.place)
  if (happened.kind === "emptied") return page.say(words.emptied, readMilliseconds)
  page.say(words.channelLeft[happened.kind](happened.name), readMilliseconds)
}
