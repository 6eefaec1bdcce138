/** What becomes of a reader whose place has moved, or is theirs no longer; and which conversation is unread next. */
import t from "tap"
import type { Api } from "../../src/client/index.ts"
import { openFeed } from "../../src/web/state/feed.ts"
import type { Conversation, UnreadConversation } from "../../src/web/state/model.ts"
import { topicNarrow } from "../../src/web/state/narrow.ts"
import { feedAfter, narrowAfter, placeChangeIn } from "../../src/web/state/place-changes.ts"
import { reduce } from "../../src/web/state/reduce/reduce.ts"
import { nextUnread, unreadPlaces } from "../../src/web/state/unread.ts"
import { madeState, post, selfId } from "./kit.ts"
import { byId, channel } from "./people.ts"

const castle = topicNarrow(1, "castle")
const from: Conversation = { kind: "topic", channel: 1, topic: "castle" }
const to: Conversation = { kind: "topic", channel: 1, topic: "garden" }
const ends = { hasOldest: true, hasNewest: true }
const state = madeState({ channels: byId([channel(1, "general")]), feed: openFeed(castle, [post(1), post(2)], ends) })

const move = (
  message_ids: ReadonlyArray<number>,
  propagate_mode: NonNullable<Api.UpdateMessageEvent["propagate_mode"]>,
) =>
  ({
    id: 3,
    type: "update_message",
    user_id: 11,
    rendering_only: false,
    edit_timestamp: 0,
    message_id: message_ids[0] ?? 0,
    message_ids,
    flags: [],
    stream_id: 1,
    orig_subject: "castle",
    subject: "garden",
    propagate_mode,
  }) as const

t.test("readers follow a topic that moves as a whole, and are told of a part", async (t) => {
  const heard = (event: ReturnType<typeof move>, narrow = castle) =>
    placeChangeIn(narrow, state, reduce(state, event, 0), event)
  t.strictSame(heard(move([1, 2], "change_all")), { kind: "moved", from, to })
  t.strictSame(heard(move([1, 2], "change_later")), { kind: "moved", from, to }, "all that is shown")
  t.strictSame(heard(move([2], "change_later")), { kind: "part-moved", count: 1, to })
  t.equal(heard(move([2], "change_one"), topicNarrow(1, "elsewhere")), null)
  t.strictSame(narrowAfter(castle, from, to), topicNarrow(1, "garden"))
  t.strictSame(narrowAfter({ kind: "all" }, from, to), { kind: "all" })
  const after = feedAfter(state.feed, castle, topicNarrow(1, "garden"), to)
  t.strictSame(
    after?.posts.map(({ id, conversation }) => [id, conversation]),
    [
      [1, to],
      [2, to],
    ],
  )
})

t.test("a conversation whose messages have all gone says so; whoever moves a part is not told of it", async (t) => {
  const gone = { id: 4, type: "delete_message", message_type: "stream", stream_id: 1, topic: "castle" } as const
  const all = { ...gone, message_ids: [1, 2] }
  const after = reduce(state, all, 0)
  t.strictSame(placeChangeIn(castle, state, after, all), { kind: "emptied" })
  t.equal(after.feed?.isEmptied, true)
  const one = { ...gone, message_ids: [2] }
  t.equal(placeChangeIn(castle, state, reduce(state, one, 0), one), null)
  const own = { ...move([2], "change_later"), user_id: selfId }
  t.equal(placeChangeIn(castle, state, reduce(state, own, 0), own), null)
})

t.test("a channel that is lost, archived or left is said to whoever looks at it", async (t) => {
  const lost = { id: 4, type: "stream", op: "delete", stream_ids: [1], streams: [] } as const
  const gone = reduce(state, lost, 0)
  t.strictSame(placeChangeIn(castle, state, gone, lost), { kind: "lost", name: "general" })
  t.equal(placeChangeIn({ kind: "all" }, state, gone, lost), null)
  t.strictSame(placeChangeIn(castle, gone, state, lost), { kind: "found" })
  const archived = { ...state, channels: byId([channel(1, "general", { isArchived: true })]) }
  t.strictSame(placeChangeIn(castle, state, archived, lost), { kind: "archived", name: "general" })
  const left = { ...state, channels: byId([channel(1, "general", { isSubscribed: false })]) }
  t.strictSame(placeChangeIn(castle, state, left, lost), { kind: "unsubscribed", name: "general" })
})

t.test("one goes through what is unread as the side bar has it, and past what counts nowhere", async (t) => {
  const unread = (conversation: Conversation, ...ids: ReadonlyArray<number>): UnreadConversation => ({
    conversation,
    ids: new Set(ids),
  })
  const topic = (channel: number, name: string): Conversation => ({ kind: "topic", channel, topic: name })
  const places = madeState({
    channels: byId([
      channel(1, "zoo"),
      channel(2, "apples"),
      channel(3, "attic", { isArchived: true }),
      channel(4, "elsewhere", { isSubscribed: false }),
      channel(5, "loud", { isMuted: true }),
    ]),
    unread: new Map([
      ["direct:7", unread({ kind: "direct", users: [7] }, 20)],
      ["3:a", unread(topic(3, "a"), 1)],
      ["4:a", unread(topic(4, "a"), 2)],
      ["5:a", unread(topic(5, "a"), 3)],
      ["1:a", unread(topic(1, "a"), 4)],
      ["2:a", unread(topic(2, "a"), 5)],
      ["2:b", unread(topic(2, "b"), 6)],
    ]),
  })
  t.strictSame(unreadPlaces(places), [topic(2, "b"), topic(2, "a"), topic(1, "a"), { kind: "direct", users: [7] }])
  t.strictSame(nextUnread(places, "nowhere"), topic(2, "b"))
  t.strictSame(nextUnread(places, "2:a"), topic(1, "a"))
  t.strictSame(nextUnread(places, "direct:7"), topic(2, "b"), "and from the end again the first")
  t.equal(nextUnread(madeState(), "nowhere"), undefined)
})
