/** The rows of a list: a message that is on its way stands where it will be. */
import t from "tap"
import { rowsOf, type WaitingMessage } from "../../src/web/state/message-rows.ts"
import { post, selfId } from "./kit.ts"

const conversation = { kind: "topic", channel: 1, topic: "castle" } as const
const dayOf = (time: number) => String(Math.floor(time / 86_400))
const last = post(100, { senderId: selfId })
const waiting = (change: Partial<WaitingMessage> = {}): WaitingMessage => ({
  localId: "1.1",
  conversation,
  content: "hello",
  time: last.time + 60,
  ...change,
})

/** Kinds of the rows below the last message, and whether each follows. */
const below = (...all: ReadonlyArray<WaitingMessage>) =>
  rowsOf({ kind: "all" }, [last], dayOf, null, all, selfId)
    .slice(3)
    .map((row) => ("isFollowing" in row ? `${row.kind} ${row.isFollowing}` : row.kind))

t.test("the own message that waits follows as it will", async (t) => {
  t.strictSame(below(waiting(), waiting({ localId: "2.2" })), ["waiting true", "waiting true"])
  t.strictSame(below(waiting({ time: last.time + 700 })), ["waiting false"])
  t.strictSame(below(waiting({ content: "/me waves" })), ["waiting false"])
  const elsewhere = { ...conversation, topic: "moat" }
  t.strictSame(below(waiting({ conversation: elsewhere })), ["place", "waiting false"])
  t.strictSame(below(waiting({ time: last.time + 86_400 })), ["day", "place", "waiting false"])
  t.strictSame(
    rowsOf({ kind: "all" }, [post(1)], dayOf, null, [waiting({ time: post(1).time })], selfId).at(-1)?.kind,
    "waiting",
  )
})
