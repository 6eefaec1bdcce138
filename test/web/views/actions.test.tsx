/** What can be done with a message, as it is offered and read out. */
import t from "tap"
import { Message } from "../../../src/web/view/list/message.tsx"
import { MessageBar, MessageMenu } from "../../../src/web/view/list/message-actions.tsx"
import { PendingMessage } from "../../../src/web/view/list/pending-message.tsx"
import { PollView } from "../../../src/web/view/list/poll.tsx"
import { madeState, post, selfId } from "../kit.ts"
import { html, text } from "./kit.tsx"

const nothing = () => undefined
const shown = { isFollowing: false, isSelected: false, isEditing: false, isReacting: false, is24: true }
const conversation = { kind: "direct", users: [11] } as const

t.test("a sheet has all that is let, a menu what does not stand in the bar", async (t) => {
  const own = post(1, { conversation, senderId: selfId, time: Date.now() / 1000 })
  const sheet = text(<MessageMenu post={own} isTouch onClose={nothing} />, madeState())
  t.strictSame(sheet.slice(0, 2), ["[React with thumbs up]", "[React with heart]"])
  t.strictSame(sheet.slice(6, 10), ["[Add a reaction]", "[Reply]", "[Quote]", "[Edit]"])
  t.notOk(sheet.includes("[Delete]"))
  t.notOk(sheet.includes("[Move]"))
  const state = madeState()
  const admin = { ...state, self: { ...state.self, isAdmin: true } }
  t.equal(text(<MessageMenu post={own} isTouch onClose={nothing} />, admin).at(-1), "[Delete]")
  t.notOk(text(<MessageMenu post={post(1, { conversation })} isTouch onClose={nothing} />, state).includes("[Edit]"))
  t.notOk(text(<MessageMenu post={post(1)} isTouch onClose={nothing} />, state).includes("[Reply]"), "channel is gone")
})

t.test("the bar is one stop of the Tab key", async (t) => {
  const bar = html(<MessageBar post={post(1)} isOpen={false} isReacting={false} onOpen={nothing} />, madeState())
  const buttons = bar.match(/<button[^>]*>/g) ?? []
  t.equal(buttons.filter((each) => !each.includes('tabindex="-1"')).length, 1)
  t.match(bar, /aria-haspopup="true" aria-expanded="false"/)
})

t.test("star and edits stand in the line of the name, or beside the time", async (t) => {
  const marked = post(1, { isEdited: true, flags: new Set(["read", "starred"]) })
  t.match(html(<Message post={marked} {...shown} />, madeState()), /<header>.*class="notes".*★.*edited.*<\/header>/s)
  const following = html(<Message post={marked} {...shown} isFollowing />, madeState())
  t.match(following, /class="gutter">.*★.*aria-label="edited".*class="body"/s)
})

t.test("the message that the keyboard is at is described by its text; while it is edited it has no bar", async (t) => {
  const view = (isEditing: boolean) =>
    html(<Message post={post(1)} {...shown} isSelected isEditing={isEditing} />, madeState())
  t.match(view(false), /aria-describedby="text-1".*class="content" id="text-1"/s)
  t.match(view(false), /role="toolbar"/)
  t.notMatch(view(true), /role="toolbar"/)
  const act = html(<Message post={post(1, { isMe: true })} {...shown} />, madeState())
  t.match(act, /<header dir="auto"><button[^>]*dir="auto"[^>]*>Iago<\/button> <div class="content" id="text-1"><\/div>/)
})

t.test("polls are called by their questions", async (t) => {
  const poll = { question: "Where to?", options: [] }
  const drawn = html(<PollView post={post(1)} poll={poll} />, madeState())
  t.match(drawn, /^<fieldset class="poll" aria-label="Where to\?"/)
  const options = [{ key: "1", text: "Home", voters: [11] }]
  t.match(html(<PollView post={post(1)} poll={{ ...poll, options }} />, madeState()), /aria-label="1 vote: Home"/)
})

t.test("what waits has the name only where the message will", async (t) => {
  const pending = { localId: "1", queueId: "q", conversation, content: "/me waves", time: 1, fault: null, id: null }
  const view = (isFollowing: boolean, content: string) =>
    html(<PendingMessage pending={{ ...pending, content }} isFollowing={isFollowing} />, madeState())
  t.match(view(false, "hello"), /<header>/)
  t.notMatch(view(true, "hello"), /<header>/)
  t.match(view(false, "one\n\ntwo"), /<p>one<\/p><p>two<\/p>/)
  t.match(
    view(false, "/me waves"),
    /is-me.*<header dir="auto">.*<\/span> <div class="content plain"><p>waves<\/p>.*<\/header>/s,
  )
})
