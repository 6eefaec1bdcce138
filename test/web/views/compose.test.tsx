/** Where a message goes: said, and never guessed. */
import t from "tap"
import type { PagePlace } from "../../../src/web/state/narrow.ts"
import { topicNarrow } from "../../../src/web/state/narrow.ts"
import { CompletionList } from "../../../src/web/view/write/completion-list.tsx"
import { Compose } from "../../../src/web/view/write/compose.tsx"
import { madeState, selfId } from "../kit.ts"
import { byId, channel, holding, person } from "../people.ts"
import { html, text } from "./kit.tsx"

const everybody = { direct_members: [selfId], direct_subgroups: [] }
const state = madeState({
  channels: byId([
    channel(1, "general", holding({ post: everybody })),
    channel(2, "old", { ...holding({ post: everybody }), isArchived: true }),
    channel(3, "read only"),
  ]),
  people: byId([person(selfId, "Me"), person(11, "Iago")]),
  emptyTopic: "general chat",
})
const at = (narrow: PagePlace["narrow"]) => ({ place: { narrow, near: null } })
const feeds: ReadonlyArray<PagePlace["narrow"]> = [
  { kind: "all" },
  { kind: "mentions" },
  { kind: "starred" },
  { kind: "search", words: "x" },
]

t.test("in a feed it is closed until somebody chooses", async (t) => {
  for (const narrow of feeds)
    t.strictSame(
      text(<Compose />, state, at(narrow)),
      ["[New message]", "[New direct message]", "Choose a message to reply to it."],
      narrow.kind,
    )
  const asked = text(<Compose />, state, { ...at({ kind: "all" }), isComposing: true })
  t.match(asked.join(), /Choose a channel.*general/)
  t.notMatch(asked.join(), /old/, "nothing that is archived")
  const chosen = { ...at({ kind: "all" }), replyTo: { kind: "direct", users: [11] } as const }
  t.match(text(<Compose />, state, chosen).join(), /To Iago/)
})

t.test("in a channel one says which topic, and what becomes of none", async (t) => {
  const lines = text(<Compose />, state, at({ kind: "channel", channel: 1 })).join()
  t.match(lines, /Topic \{Topic \(without one: general chat\)\}/)
  const strict = text(
    <Compose />,
    { ...state, topicsPolicy: "disable_empty_topic" },
    at({ kind: "channel", channel: 1 }),
  )
  t.match(strict.join(), /Topic \{New topic\}/)
})

t.test("where one may not write there is no box, and it says why", async (t) => {
  const saidAt = (channel: number) => text(<Compose />, state, at(topicNarrow(channel, "castle")))
  t.match(saidAt(1).join(), /To # general › castle/)
  t.strictSame(saidAt(2), ["This channel is archived: it can be read, and nobody writes here any more."])
  t.strictSame(saidAt(3), ["You may read here, and not write."])
  t.strictSame(saidAt(9), [], "the list says that the channel is lost")
})

t.test("what opens something says whether it is open, and lists have names", async (t) => {
  const box = html(<Compose />, state, at(topicNarrow(1, "castle")))
  for (const label of ["Emoji", "Send later"])
    t.match(box, new RegExp(`aria-label="${label}" aria-haspopup="true" aria-expanded="false"`))
  const offer = { key: "1", label: "Iago", hint: "", glyph: "", text: "@**Iago**" }
  t.match(
    html(<CompletionList offers={[offer]} picked={0} onPick={() => undefined} />, state),
    /aria-label="Suggestions"/,
  )
})
