/** What events make of the page's state. */
import t from "tap"
import { listDirects } from "../../src/web/state/direct-conversations.ts"
import { addNewer, addOlder, isAnnounced, mostPosts, openFeed } from "../../src/web/state/feed.ts"
import { withoutSaved } from "../../src/web/state/form-edits.ts"
import type { Conversation, PageNarrow, PageState } from "../../src/web/state/model.ts"
import { topicNarrow } from "../../src/web/state/narrow.ts"
import { reduce } from "../../src/web/state/reduce/reduce.ts"
import { countUnread, moveUnread, unreadIn, withAllUnread, withoutUnread } from "../../src/web/state/unread.ts"
import { madeState, messageEvent, post, selfId } from "./kit.ts"

const castle = topicNarrow(1, "castle")
const all: PageNarrow = { kind: "all" }
const ends = { hasOldest: true, hasNewest: true }
const shown = (state: PageState): ReadonlyArray<number> => state.feed?.posts.map(({ id }) => id) ?? []
const at = (narrow: PageNarrow, ...ids: ReadonlyArray<number>): PageState =>
  madeState({
    feed: openFeed(
      narrow,
      ids.map((id) => post(id)),
      ends,
    ),
  })

t.test("a message comes where it belongs, once, and is unread until it is read", async (t) => {
  const conversation = { kind: "topic", channel: 1, topic: "castle" } as const
  const one = reduce(at(castle, 1), messageEvent(2, "Castle"), 0)
  t.strictSame(shown(one), [1, 2], "a topic is the same in whatever spelling")
  t.equal(unreadIn(one, conversation), 1)
  t.strictSame(shown(reduce(one, messageEvent(2, "castle"), 0)), [1, 2])
  t.strictSame(shown(reduce(one, messageEvent(3, "other"), 0)), [1, 2], "another topic")
  const read = reduce(
    one,
    { id: 4, type: "update_message_flags", op: "add", operation: "add", flag: "read", messages: [2], all: false },
    0,
  )
  t.equal(unreadIn(read, conversation), 0)
  t.equal(read.feed?.posts[1]?.flags.has("read"), true)
})

t.test("what is muted is neither in the feed of everything nor counted, unless it mentions one", async (t) => {
  const muted = reduce(
    at(all),
    { id: 1, type: "user_topic", stream_id: 1, topic_name: "castle", last_updated: 0, visibility_policy: 1 },
    0,
  )
  const heard = reduce(muted, messageEvent(2, "castle"), 0)
  t.strictSame(shown(heard), [])
  t.equal(countUnread(heard).all, 0)
  t.strictSame(shown(reduce(heard, messageEvent(3, "castle", ["mentioned"]), 0)), [3])
  const mute = {
    type: "user_topic",
    stream_id: 1,
    topic_name: "castle",
    last_updated: 0,
    visibility_policy: 1,
  } as const
  const own = post(6, { senderId: selfId })
  const full = madeState({ feed: openFeed(all, [post(4), post(5, { flags: new Set(["mentioned"]) }), own], ends) })
  t.strictSame(shown(reduce(full, { id: 7, ...mute }, 0)), [5, 6], "it leaves when it is muted")
  t.strictSame(shown(reduce(at(castle, 1), { id: 7, ...mute }, 0)), [1], "but not its own topic")
})

t.test("a moved message leaves the topic that is shown, and is unread where it went", async (t) => {
  const topics = new Map([
    [1, [{ name: "castle", max_id: 1 }]],
    [2, [{ name: "elsewhere", max_id: 1 }]],
  ])
  const heard = reduce({ ...at(castle, 1), topics }, messageEvent(2, "castle"), 0)
  const moved = reduce(
    heard,
    {
      id: 3,
      type: "update_message",
      user_id: 11,
      rendering_only: false,
      edit_timestamp: 0,
      message_id: 2,
      message_ids: [2],
      flags: [],
      stream_id: 1,
      orig_subject: "castle",
      subject: "garden",
      propagate_mode: "change_one",
    },
    0,
  )
  t.strictSame(shown(moved), [1])
  t.equal(unreadIn(moved, { kind: "topic", channel: 1, topic: "castle" }), 0)
  t.equal(unreadIn(moved, { kind: "topic", channel: 1, topic: "garden" }), 1)
  t.strictSame([...moved.topics.keys()], [2], "only the topics of its channel have to be read again")
})

t.test("a deleted message is gone, and no longer unread or starred", async (t) => {
  const heard = reduce(at(castle, 1), messageEvent(2, "castle", ["mentioned"]), 0)
  const star = { type: "update_message_flags", op: "add", operation: "add", flag: "starred", all: false } as const
  const starred = reduce(heard, { id: 2, ...star, messages: [1, 2] }, 0)
  t.strictSame([...starred.starred], [1, 2])
  t.strictSame([...starred.unreadMentions], [2])
  const left = reduce(
    starred,
    { id: 3, type: "delete_message", message_type: "stream", stream_id: 1, topic: "castle", message_ids: [2] },
    0,
  )
  t.strictSame(shown(left), [1])
  t.equal(countUnread(left).channels.size, 0)
  t.strictSame([...left.starred], [1])
  t.strictSame([...left.unreadMentions], [])
})

t.test("reactions come and go, one of each person", async (t) => {
  const reaction = { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji" } as const
  const of = (id: number, op: "add" | "remove", user_id: number) =>
    ({
      id,
      type: "reaction",
      op,
      message_id: 1,
      user_id,
      user: { user_id, email: "", full_name: "" },
      ...reaction,
    }) as const
  const events = [of(1, "add", 11), of(2, "add", selfId), of(3, "add", selfId)]
  const added = events.reduce((state, event) => reduce(state, event, 0), at(castle, 1))
  t.strictSame(added.feed?.posts[0]?.reactions, [
    { name: "tada", code: "1f389", type: "unicode_emoji", users: [11, selfId] },
  ])
  const gone = [of(4, "remove", 11), of(5, "remove", selfId)].reduce((state, event) => reduce(state, event, 0), added)
  t.strictSame(gone.feed?.posts[0]?.reactions, [])
})

t.test("who types is known until they stop, send, or have been silent", async (t) => {
  const typing = (op: "start" | "stop") =>
    ({
      id: 1,
      type: "typing",
      op,
      sender: { user_id: 11, email: "" },
      message_type: "stream",
      stream_id: 1,
      topic: "castle",
    }) as const
  const key = "1:castle"
  const one = reduce(at(castle), typing("start"), 1_000)
  t.strictSame(one.typing.get(key), [{ user: 11, until: 16_000 }])
  t.strictSame(reduce(one, typing("stop"), 2_000).typing.get(key), [])
  t.strictSame(reduce(one, messageEvent(2, "castle"), 2_000).typing.get(key), [])
})

t.test("the window is bounded, and lets go at its other end", async (t) => {
  const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => post(from + n))
  const feed = openFeed(castle, range(1_000, mostPosts), { hasOldest: false, hasNewest: true })
  const older = addOlder(feed, range(900, 100), false)
  t.equal(older.posts.length, mostPosts)
  t.equal(older.posts[0]?.id, 900)
  t.equal(older.hasNewest, false, "the newest are read again on the way back")
  const back = addNewer(older, range(1_200, 100), true)
  t.equal(back.posts.length, mostPosts)
  t.equal(back.posts.at(-1)?.id, 1_299)
  t.match(back, { hasNewest: true, hasOldest: false })
  const live = reduce(madeState({ feed: older }), messageEvent(5_000, "castle"), 0)
  t.equal(live.feed, older, "what is new does not stand behind a gap")
})

t.test("who hears the page hears what comes into it, but nobody whom they have muted", async (t) => {
  const before = at(castle, 1)
  const after = reduce(before, messageEvent(2, "castle"), 0)
  t.equal(isAnnounced(before, after, 11), true)
  t.equal(isAnnounced(before, after, selfId), false)
  t.equal(isAnnounced(before, reduce(before, messageEvent(2, "other"), 0), 11), false)
  t.equal(isAnnounced(before, { ...after, mutedPeople: new Set([11]) }, 11), false)
})

t.test("of a form what others have changed meanwhile is not sent, nor what is saved already", async (t) => {
  const edits = { name: "castle", description: "old walls" }
  t.strictSame(withoutSaved(edits, { name: "castle" }), { description: "old walls" })
  t.strictSame(withoutSaved(edits, { name: "castl" }), edits, "typed on while it was saved")
  t.strictSame(withoutSaved(edits, edits), {})
})

t.test("what is unread leaves, moves and comes back, many at once", async (t) => {
  const topic = (name: string): Conversation => ({ kind: "topic", channel: 1, topic: name })
  const direct: Conversation = { kind: "direct", users: [7] }
  const all = withAllUnread(new Map(), [
    [topic("a"), 1],
    [topic("b"), 2],
    [topic("A"), 3],
    [direct, 4],
  ])
  const shown = (given: typeof all) => [...given].map(([key, { ids }]) => [key, [...ids]])
  t.strictSame(shown(all), [
    ["1:a", [1, 3]],
    ["1:b", [2]],
    ["direct:7", [4]],
  ])
  t.strictSame(shown(withoutUnread(all, new Set([1]))), [
    ["1:a", [3]],
    ["1:b", [2]],
    ["direct:7", [4]],
  ])
  t.strictSame(shown(withoutUnread(all, new Set([1, 2, 3, 9, 10]))), [["direct:7", [4]]])
  t.equal(withoutUnread(all, new Set([9])), all, "nothing of it")
  t.strictSame(shown(moveUnread(all, [3, 2, 9], topic("c"))), [
    ["1:a", [1]],
    ["direct:7", [4]],
    ["1:c", [3, 2]],
  ])
  t.equal(moveUnread(all, [9], topic("c")), all)
})

t.test("conversations are listed newest first; what is unread is, however old", async (t) => {
  const talk = (user: number, newest: number) =>
    [`direct:${user}`, { conversation: { kind: "direct", users: [user] } as const, newest }] as const
  const directs = new Map(Array.from({ length: 20 }, (_, n) => talk(100 + n, 1000 - n)))
  const unread = withAllUnread(new Map(), [
    [{ kind: "direct", users: [115] }, 985],
    [{ kind: "direct", users: [5, 6] }, 8],
    [{ kind: "direct", users: [5, 6] }, 9],
    [{ kind: "topic", channel: 1, topic: "a" }, 10],
  ])
  const listed = listDirects({ directs, unread })
  t.equal(listed.length, 14)
  t.strictSame(
    listed.slice(11).map(({ key, unread }) => [key, unread]),
    [
      ["direct:111", 0],
      ["direct:115", 1],
      ["direct:5,6", 2],
    ],
  )
})
