/** Polls, the figures of a server, and how long a message that waits may be sent by itself. */
import t from "tap"
import { ownEmoji } from "../../src/web/state/completion.ts"
import { openFeed } from "../../src/web/state/feed.ts"
import { firstOf } from "../../src/web/state/first-items.ts"
import { topicNarrow } from "../../src/web/state/narrow.ts"
import { nextIndex, pollOf, withAct } from "../../src/web/state/poll.ts"
import { reduce } from "../../src/web/state/reduce/reduce.ts"
import { following, joined, maySendAgain } from "../../src/web/state/resend-rules.ts"
import { answeredMost, largest, readFigures, sumOf } from "../../src/web/state/server-figures.ts"
import { madeState, post } from "./kit.ts"

const act = (senderId: number, content: object | string) => ({
  senderId,
  content: typeof content === "string" ? content : JSON.stringify(content),
})
const author = 11
const begin = act(author, {
  widget_type: "poll",
  extra_data: { question: "Lunch?", options: ["Soup", "Cake", "Soup"] },
})

t.test("a poll has its options, those that were added, and the newest vote of each", async (t) => {
  const acts = [
    begin,
    act(1, { type: "vote", key: "canned,0", vote: 1 }),
    act(2, { type: "vote", key: "canned,0", vote: 1 }),
    act(1, { type: "vote", key: "canned,0", vote: 1 }),
    act(2, { type: "vote", key: "canned,0", vote: -1 }),
    act(2, { type: "new_option", idx: 1, option: "Bread" }),
    act(3, { type: "new_option", idx: 1, option: "Bread" }),
    act(3, { type: "vote", key: "2,1", vote: 1 }),
    act(3, { type: "vote", key: "nothing", vote: 1 }),
    act(2, { type: "question", question: "Mine?" }),
    act(author, { type: "question", question: "Lunch on Friday?" }),
    act(4, "no json"),
    act(4, "null"),
  ]
  const poll = pollOf({ acts, senderId: author })
  t.strictSame(poll, {
    question: "Lunch on Friday?",
    options: [
      { key: "canned,0", text: "Soup", voters: [1] },
      { key: "canned,1", text: "Cake", voters: [] },
      { key: "2,1", text: "Bread", voters: [3] },
    ],
  })
  if (poll === null) return
  t.equal(nextIndex(poll, 2), 2)
  t.equal(nextIndex(poll, 9), 1)
})

t.test("other messages are no polls", async (t) => {
  for (const acts of [
    [],
    [act(1, "x")],
    [act(1, { widget_type: "todo", extra_data: {} })],
    [act(1, { widget_type: "poll" })],
  ])
    t.equal(pollOf({ acts, senderId: 1 }), null)
})

t.test("a poll does not grow by votes that are taken back and given again", async (t) => {
  const votes = (key: string, ...all: ReadonlyArray<number>) => all.map((vote) => act(1, { type: "vote", key, vote }))
  const given = [
    begin,
    ...votes("canned,0", 1, -1, 1, -1),
    act(2, { type: "vote", key: "canned,0", vote: 1 }),
    act(1, { type: "new_option", idx: 1, option: "Bread" }),
    act(1, { type: "new_option", idx: 1, option: "Bread" }),
    ...votes("canned,1", 1),
    ...votes("canned,0", 1),
    act(1, "no json"),
  ]
  const acts = given.reduce(withAct, [])
  t.strictSame(acts, [begin, ...given.slice(5)])
  t.strictSame(pollOf({ acts, senderId: author }), pollOf({ acts: given, senderId: author }))
  t.strictSame(firstOf([1, 2, 3], 2), [[1, 2], 1])
  t.strictSame(firstOf([1], 2), [[1], 0])
})

t.test("what somebody does in a poll comes to its message", async (t) => {
  const feed = openFeed(topicNarrow(1, "castle"), [post(5, { acts: [begin] }), post(6)], {
    hasOldest: true,
    hasNewest: true,
  })
  const content = JSON.stringify({ type: "vote", key: "canned,1", vote: 1 })
  const state = reduce(
    madeState({ feed }),
    { id: 9, type: "submessage", message_id: 5, submessage_id: 9, sender_id: 2, msg_type: "widget", content },
    0,
  )
  const [first, second] = state.feed?.posts ?? []
  t.strictSame(first && pollOf(first)?.options[1]?.voters, [2])
  t.equal(second, feed.posts[1], "others stay what they are")
})

t.test("a message may be sent again within the server's day, by a clock that goes forward", async (t) => {
  const hour = 3_600_000
  const time = 1_700_000_000
  const at = (milliseconds: number) => maySendAgain(time, time * 1000 + milliseconds)
  t.equal(at(0), true)
  t.equal(at(21 * hour), true)
  t.equal(at(23 * hour), false)
  t.equal(at(48 * hour), false)
  t.equal(at(-60_000), true, "clocks are put right a little")
  t.equal(at(-hour), false, "one that was put back says nothing")
  t.strictSame(
    ["", "look", "look ", "look\n"].map((typed) => following(typed, "here")),
    ["here", " here", "here", "here"],
  )
  t.equal(joined("back", " \n"), "back")
  t.equal(joined("back", "typed"), "back\n\ntyped")
})

t.test("figures are read from their text", async (t) => {
  const figures = readFigures(
    `${[
      "# HELP a_total Of \\\\ and\\nlines",
      "# TYPE a_total counter",
      'a_total{limit="x, \\"y\\""} 2',
      'a_total{limit="z"} 3',
      'a_total{limit="never"} 0',
      "no sample",
      'parley_http_duration_seconds_sum{endpoint="GET /a"} 1.5',
      'parley_http_duration_seconds_count{endpoint="GET /a"} 3',
      'parley_http_duration_seconds_sum{endpoint="GET /b"} 2',
      'parley_http_duration_seconds_count{endpoint="GET /b"} 4',
      'parley_http_duration_seconds_count{endpoint="GET /c"} 0',
    ].join("\n")}\n`,
  )
  t.equal(figures.get("a_total")?.help, "Of \\ and\nlines")
  t.equal(sumOf(figures.get("a_total")), 5)
  t.equal(sumOf(undefined), 0)
  t.strictSame(largest(figures.get("a_total"), "limit"), [
    ["z", 3],
    ['x, "y"', 2],
  ])
  t.strictSame(answeredMost(figures, 5), [
    { endpoint: "GET /b", count: 4, milliseconds: 500 },
    { endpoint: "GET /a", count: 3, milliseconds: 500 },
  ])
  t.equal(answeredMost(figures, 1).length, 1)
})

t.test("the organization's own emoji are offered while they are in use", async (t) => {
  const emoji = (id: string, name: string, deactivated: boolean) => ({
    id,
    name,
    source_url: `/emoji/${id}`,
    still_url: null,
    deactivated,
    author_id: null,
  })
  const state = reduce(
    madeState(),
    {
      id: 1,
      type: "realm_emoji",
      op: "update",
      realm_emoji: { "1": emoji("1", "castle", false), "2": emoji("2", "gone", true) },
    },
    0,
  )
  t.strictSame(ownEmoji(state), [{ name: "castle", code: "own 1", url: "/emoji/1" }])
})
