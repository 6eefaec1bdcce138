/** Where one is, by name, and what can be done there. */
import t from "tap"
import type { PageNarrow } from "../../../src/web/state/model.ts"
import { topicNarrow } from "../../../src/web/state/narrow.ts"
import { LostPlace } from "../../../src/web/view/list/message-list.tsx"
import { narrowName } from "../../../src/web/view/parts/place-names.tsx"
import { PlaceHeader } from "../../../src/web/view/place-header.tsx"
import { madeState, selfId } from "../kit.ts"
import { byId, channel, person } from "../people.ts"
import { html, text } from "./kit.tsx"

const state = madeState({
  channels: byId([
    channel(1, "general", { isPinned: true }),
    channel(2, "far", { isSubscribed: false }),
    channel(3, "old", { isArchived: true }),
  ]),
  people: byId([person(selfId, "Me"), person(11, "Iago")]),
  topicPolicies: new Map([["1:castle", 3]]),
})
const at = (narrow: PageNarrow) => ({ place: { narrow, near: null } })
const buttons = (narrow: PageNarrow) => text(<PlaceHeader />, state, at(narrow)).filter((line) => line.startsWith("["))

t.test("every place has a name, for the title of the window too", async (t) => {
  const names: ReadonlyArray<readonly [PageNarrow, string]> = [
    [{ kind: "all" }, "All messages"],
    [{ kind: "search", words: "x" }, "Results for “x”"],
    [{ kind: "channel", channel: 1 }, "#general"],
    [topicNarrow(1, "castle"), "#general › castle"],
    [{ kind: "conversation", conversation: { kind: "direct", users: [11] } }, "Iago"],
    [topicNarrow(9, "castle"), "Unknown channel"],
  ]
  for (const [narrow, name] of names) t.equal(narrowName(state, narrow), name)
})

t.test("a channel that is lost is called so, and can be skipped to", async (t) => {
  t.match(html(<PlaceHeader />, state, at(topicNarrow(9, "castle"))), /<h1>Unknown channel<\/h1>/)
  t.match(html(<LostPlace />, state), /id="messages" tabindex="-1"/)
})

t.test("what is on or off is called by one name, and says which; on a phone all is in one menu", async (t) => {
  const head = html(<PlaceHeader />, state, at({ kind: "channel", channel: 1 }))
  t.match(head, /aria-label="Pin to the top" aria-pressed="true"/)
  t.match(head, /aria-label="Mute" aria-pressed="false"/)
  t.match(html(<PlaceHeader />, state, at(topicNarrow(1, "castle"))), /aria-label="Follow" aria-pressed="true"/)
  t.strictSame(buttons({ kind: "channel", channel: 1 }).slice(1), [
    ...["[Pin to the top]", "[Mute]", "[Mark as read]", "[Settings of the channel]"],
    ...["[More]", "[Search messages]"],
  ])
  t.match(head, /class="icon-button phone"[^>]*aria-label="More" aria-haspopup="true" aria-expanded="false"/)
  t.match(head, /aria-label="Channels and conversations" aria-haspopup="true" aria-expanded="false"/)
  t.strictSame(buttons({ kind: "channel", channel: 2 }).slice(1, 3), ["[Subscribe]", "[Settings of the channel]"])
  t.strictSame(buttons({ kind: "channel", channel: 3 }).slice(1, 3), ["[Settings of the channel]", "[More]"])
  t.strictSame(buttons({ kind: "mentions" }), ["[Channels and conversations]", "[Search messages]"])
})
