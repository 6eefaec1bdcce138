/** Addresses of places, rows of a list, what is offered while one types, and the texts in other languages. */
import t from "tap"
import { complete, offersFor, questionAt } from "../../src/web/state/completion.ts"
import { rowsOf } from "../../src/web/state/message-rows.ts"
import type { PageNarrow } from "../../src/web/state/model.ts"
import { filtersOf, hashOf, linkTo, readHash, topicNarrow } from "../../src/web/state/narrow.ts"
import { de } from "../../src/web/words/de.ts"
import { en } from "../../src/web/words/en.ts"
import { wordsFor } from "../../src/web/words/languages.ts"
import { madeState, post } from "./kit.ts"

t.test("an address leads back to its place", async (t) => {
  const narrows: ReadonlyArray<PageNarrow> = [
    { kind: "all" },
    { kind: "mentions" },
    { kind: "starred" },
    { kind: "channel", channel: 7 },
    topicNarrow(7, "what's up? 50% / #1 near/2"),
    topicNarrow(7, ""),
    { kind: "conversation", conversation: { kind: "direct", users: [2, 5] } },
    { kind: "search", words: "a/b near c" },
  ]
  for (const narrow of narrows) {
    t.strictSame(readHash(linkTo(narrow)), { narrow, near: null })
    t.strictSame(readHash(hashOf({ narrow, near: 12 })), { narrow, near: 12 })
  }
  for (const hash of ["", "#", "#nowhere", "#channel/x", "#direct/1,x", "#search/", "#channel/7/topic/%"])
    t.equal(readHash(hash), null, hash)
})

t.test("links of rendered messages lead to places", async (t) => {
  t.strictSame(readHash("#narrow/channel/5-general/topic/a.20b/near/9"), { narrow: topicNarrow(5, "a b"), near: 9 })
  t.strictSame(readHash("#narrow/channel/5-general"), { narrow: { kind: "channel", channel: 5 }, near: null })
  t.strictSame(filtersOf(topicNarrow(5, "a b")), [
    { operator: "channel", operand: 5 },
    { operator: "topic", operand: "a b" },
  ])
})

t.test("the feed of everything is asked for as it is shown while messages come: without what is muted", async (t) => {
  t.strictSame(filtersOf({ kind: "all" }), [{ operator: "in", operand: "home" }])
})

t.test("rows have days, conversations, and names once", async (t) => {
  const day = (time: number) => String(Math.floor(time / 86_400))
  const kinds = (narrow: PageNarrow, posts: Parameters<typeof rowsOf>[1], unread: number | null = null) =>
    rowsOf(narrow, posts, day, unread).map((row) => (row.kind === "post" && row.isFollowing ? "following" : row.kind))
  const posts = [
    post(1),
    post(2),
    post(3, { conversation: { kind: "direct", users: [11] } }),
    post(4, { time: 1_700_100_000 }),
  ]
  t.strictSame(kinds({ kind: "all" }, posts), [
    "day",
    "place",
    "post",
    "following",
    "place",
    "post",
    "day",
    "place",
    "post",
  ])
  t.strictSame(kinds(topicNarrow(1, "castle"), posts.slice(0, 2), 2), ["day", "post", "unread", "post"])
})

t.test("people, channels and emoji are offered at the caret", async (t) => {
  const person = {
    email: "",
    avatarUrl: null,
    role: 400,
    isBot: false,
    ownerId: null,
    isActive: true,
    timezone: "",
    fields: {},
  }
  const state = madeState({
    people: new Map([
      [1, { ...person, id: 1, name: "Iago" }],
      [2, { ...person, id: 2, name: "Prospero Iagson" }],
      [3, { ...person, id: 3, name: "Gone", isActive: false }],
    ]),
  })
  const texts = (text: string) => {
    const question = questionAt(text, text.length)
    const emoji = [{ name: "tada", code: "1f389" }]
    return question === null ? null : offersFor(state, question, emoji, () => "").map((offer) => offer.text)
  }
  t.strictSame(texts("hi @ia"), ["@**Iago** ", "@**Prospero Iagson** "])
  t.strictSame(texts("(@Gone"), [])
  t.strictSame(texts(":tad"), [":tada: "])
  t.equal(texts("mail@ia"), null)
  t.equal(texts("at 12:30"), null)
  const question = questionAt("hi @ia", 6)
  t.ok(question)
  if (question === null) return
  const offer = { key: "", label: "", hint: "", glyph: "", text: "@**Iago** " }
  t.strictSame(complete("hi @ia there", 6, question, offer), { text: "hi @**Iago**  there", caret: 13 })
})

t.test("each language has all texts, and the browser's first that there is is taken", async (t) => {
  t.strictSame(Object.keys(de), Object.keys(en))
  t.equal(de.keyList.length, en.keyList.length)
  t.equal(wordsFor(["fr", "de-AT", "en"]).send, de.send)
  t.equal(wordsFor(["fr"]).send, en.send)
})
