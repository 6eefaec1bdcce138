/** What a place says where nothing is in it. */
import t from "tap"
import { openFeed } from "../../../src/web/state/feed.ts"
import type { PageNarrow } from "../../../src/web/state/model.ts"
import { topicNarrow } from "../../../src/web/state/narrow.ts"
import { MessageList } from "../../../src/web/view/list/message-list.tsx"
import { madeState, selfId } from "../kit.ts"
import { byId, channel, holding, person } from "../people.ts"
import { text } from "./kit.tsx"

const everybody = { direct_members: [selfId], direct_subgroups: [] }
const known = {
  channels: byId([channel(1, "general", holding({ post: everybody })), channel(2, "read only")]),
  people: byId([person(selfId, "Me"), person(11, "Iago")]),
}
const saidIn = (narrow: PageNarrow) =>
  text(<MessageList />, madeState({ ...known, feed: openFeed(narrow, [], { hasOldest: true, hasNewest: true }) }), {
    place: { narrow, near: null },
    readVisit: 0,
  }).join(" ")

t.test("an empty place says what could be there, and speaks of a box only where there is one", async (t) => {
  t.equal(saidIn({ kind: "starred" }), "Nothing is starred Star a message to find it here again.")
  t.equal(saidIn({ kind: "mentions" }), "Nobody has mentioned you yet Messages that name you appear here.")
  t.equal(saidIn({ kind: "search", words: "x" }), "Nothing was found Try other words.")
  t.equal(saidIn({ kind: "all" }), "Nothing new Messages of your channels and conversations appear here.")
  t.equal(saidIn(topicNarrow(1, "castle")), "Nothing here yet Write the first message below.")
  t.equal(saidIn(topicNarrow(2, "castle")), "Nothing here yet Nobody has written here.")
  t.equal(
    saidIn({ kind: "conversation", conversation: { kind: "direct", users: [11] } }),
    "Nothing here yet This is the beginning of your conversation with Iago.",
  )
})

t.test("what was emptied is not called new", async (t) => {
  const narrow = topicNarrow(1, "castle")
  const feed = { ...openFeed(narrow, [], { hasOldest: true, hasNewest: true }), isEmptied: true }
  t.strictSame(text(<MessageList />, madeState({ ...known, feed }), { place: { narrow, near: null }, readVisit: 0 }), [
    "The messages that stood here were moved or deleted.",
    "What you write begins the conversation anew.",
  ])
})

t.test("a channel that one may not see leads somewhere", async (t) => {
  t.equal(
    saidIn(topicNarrow(9, "castle")),
    "You may not see this channel, or it is not there any more. Go to all messages",
  )
})
