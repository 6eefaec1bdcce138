/** Each hears of a move with their own flags of a message that they hold, whichever others hold. */
import t, { type Test } from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "square", users: ["othello", "iago"] },
  { name: "lobby", users: ["hamlet", "othello", "iago"] },
  { name: "den", users: ["hamlet", "othello", "iago"], isPrivate: true, historyShared: false },
  // Not private, so who left it goes on to hold what they received there, and hears of it.
  { name: "hall", users: ["hamlet", "othello", "iago"], historyShared: false },
] as const

const add = (server: TestServer, name: Name, channel: string) =>
  server.as("iago").must.post("/users/me/subscriptions", {
    subscriptions: [{ name: channel }],
    principals: [server.idOf(name)],
    send_new_subscription_messages: false,
  })
const leave = (server: TestServer, name: Name, channel: string) =>
  server.as(name).must.delete("/users/me/subscriptions", { subscriptions: [channel] })
const flag = (server: TestServer, name: Name, flag: string, message: number) =>
  server.as(name).must.post("/messages/flags", { op: "add", flag, messages: [message] })

const types = { event_types: ["update_message"] }

/** Moves the whole topic of a message; answers what each is told, which is the same live and from the log. */
const toldOf = async (
  t: Test,
  server: TestServer,
  message: number,
  fields: Fields,
  names: ReadonlyArray<Name>,
): Promise<ReadonlyArray<unknown>> => {
  const queues = await Promise.all(
    names.map(async (name) => ({ name, now: await server.queue(name, types), later: await server.queue(name, types) })),
  )
  const whole = { send_notification_to_new_thread: false, propagate_mode: "change_all" }
  await server.as("iago").must.patch(`/messages/${message}`, { ...whole, ...fields })
  const shown = (events: ReadonlyArray<Fields>) =>
    events.map(({ message_id, message_ids, flags, content }) => ({ message_id, message_ids, flags, content }))
  const live = await Promise.all(queues.map(async ({ now }) => shown(await now.rest())))
  await server.restart()
  const read = await Promise.all(queues.map(async ({ name, later }) => shown(await server.resume(name, later).rest())))
  t.same(read, live, "live and from the log")
  return live
}
const told = (message: number, message_ids: ReadonlyArray<number>, ...flags: ReadonlyArray<string>) => [
  { message_id: message, message_ids, flags, content: undefined },
]

t.test("who left a protected channel for a while hears with the flags of what they held before", (t) =>
  withServer(t, { channels }, async (server) => {
    const first = await server.as("iago").send("den", "@**othello** one", { topic: "plans" })
    await flag(server, "othello", "collapsed", first)
    await leave(server, "othello", "den")
    const last = await server.as("iago").send("den", "two", { topic: "plans" })
    await add(server, "othello", "den")
    const names = ["othello", "hamlet"] as const
    t.same(await toldOf(t, server, first, { topic: "new" }, names), [
      told(first, [first], "read", "collapsed", "mentioned"),
      told(last, [first, last]),
    ])
  }),
)

t.test("who left hears with the marks that a group, a topic, a wildcard or a word made", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("othello").must.post("/users/me/alert_words", { alert_words: ["skull"] })
    const first = await server.as("iago").send("hall", "@**all** a skull", { topic: "plans" })
    await leave(server, "othello", "hall")
    const last = await server.as("iago").send("hall", "two", { topic: "plans" })
    const marks = ["read", "stream_wildcard_mentioned", "has_alert_word", "wildcard_mentioned"]
    const names = ["othello", "hamlet"] as const
    t.same(await toldOf(t, server, last, { topic: "new" }, names), [
      told(first, [first], ...marks),
      told(last, [first, last]),
    ])
  }),
)

t.test("of a channel whose history is shared who is not there hears with the flags of what they hold", (t) =>
  withServer(t, { channels }, async (server) => {
    const first = await server.as("iago").send("lobby", "one", { topic: "plans" })
    const second = await server.as("iago").send("lobby", "two", { topic: "plans" })
    const last = await server.as("iago").send("lobby", "three", { topic: "plans" })
    await leave(server, "othello", "lobby")
    for (const message of [second, last]) await flag(server, "cordelia", "starred", message)
    const later = await server.as("iago").send("lobby", "four", { topic: "plans" })
    const all = [first, second, last, later]
    const names = ["cordelia", "othello", "hamlet"] as const
    t.same(await toldOf(t, server, later, { topic: "new" }, names), [
      told(second, [second, last], "read", "starred", "historical"),
      told(second, [first, second, last], "read"),
      told(later, all),
    ])
  }),
)

t.test(
  "of an edit that moves others, too, who came after its message hears whether theirs is unread, and no content",
  (t) =>
    withServer(t, { channels }, async (server) => {
      const first = await server.as("iago").send("den", "one", { topic: "plans" })
      await add(server, "cordelia", "den")
      const [second, last] = [
        await server.as("iago").send("den", "two", { topic: "plans" }),
        await server.as("iago").send("den", "three", { topic: "plans" }),
      ]
      await flag(server, "cordelia", "read", second)
      t.same(await toldOf(t, server, first, { topic: "new", content: "hidden" }, ["cordelia"]), [
        told(last, [second, last]),
      ])
    }),
)

t.test("to who left a private channel what leaves it comes anew, and what they had starred is told again", (t) =>
  withServer(t, { channels }, async (server) => {
    const [square, den] = ["square", "den"].map((name) => channelId(server, name))
    const first = await server.as("iago").send("den", "one", { topic: "plans" })
    await flag(server, "othello", "starred", first)
    await leave(server, "othello", "den")
    const last = await server.as("iago").send("den", "two", { topic: "plans" })
    const stars = await server.queue("othello", { event_types: ["update_message_flags"] })
    t.same(await toldOf(t, server, last, { stream_id: square }, ["othello"]), [told(last, [first, last], "read")])
    t.match(await server.resume("othello", stars).rest(), [{ op: "add", flag: "starred", messages: [first] }])

    await add(server, "othello", "den")
    const sent = await server.as("iago").send("lobby", "three", { topic: "other" })
    await server.as("iago").must.patch(`/messages/${sent}`, { stream_id: den, send_notification_to_new_thread: false })
    await leave(server, "othello", "den")
    const late = await server.as("iago").send("den", "four", { topic: "other" })
    t.same(await toldOf(t, server, late, { stream_id: square }, ["othello"]), [told(late, [sent, late], "read")])
    const shown = await server.as("othello").must.get(`/messages/${sent}`)
    t.match(shown, { message: { flags: [] } }, "unread where it was sent")
  }),
)
