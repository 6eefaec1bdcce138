/**
 * A new account holds the older messages that it was given, as if it had received them: it hears of what becomes of them
 * where the channel's history is not shared any more, and may do with them what others may.
 */
import t, { type Test } from "tap"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields, Person } from "../../../kit/client.ts"
import { objectsIn } from "../../../kit/client-sections.ts"
import { eventsOf, type ReadEvent } from "../../../kit/reader.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const types = ["reaction", "update_message", "delete_message", "submessage"]
const quiet = { send_notification_to_new_thread: false, send_notification_to_old_thread: false }
const email = "late@test.example"

interface Queue {
  readonly id: string
  readonly last: number
}

const register = async (person: Person): Promise<Queue> => {
  const { queue_id, last_event_id } = await person.must.post("/register", { event_types: types })
  return { id: String(queue_id), last: Number(last_event_id) }
}

/** All that a queue has to tell. */
const read = async (person: Person, { id, last }: Queue): Promise<ReadonlyArray<ReadEvent>> => {
  const fields = { queue_id: id, last_event_id: last, dont_block: true }
  return eventsOf((await person.must.get("/events", fields))["events"])
}

const channelOf = (server: TestServer, name: string) => server.realm.realm.findChannelByName(name)?.id ?? 0

const makePrivate = async (server: TestServer): Promise<void> => {
  const stream_id = channelOf(server, "lobby")
  await server.as("iago").must.delete("/default_streams", { stream_id })
  const closed = { is_private: true, history_public_to_subscribers: false }
  await server.as("iago").must.patch(`/streams/${stream_id}`, closed)
}

const join = async (server: TestServer): Promise<{ readonly id: number; readonly person: Person }> => {
  const fields = { email, password: "lantern-river", full_name: "Late" }
  const { user_id } = await server.as("desdemona").must.post("/users", fields)
  return { id: Number(user_id), person: server.asEmail(email) }
}

const channels = [
  { name: "lobby", users: ["hamlet", "iago"], isDefault: true },
  { name: "den", users: ["hamlet", "iago"], isPrivate: true, historyShared: true },
  { name: "square", users: ["hamlet"] },
] as const

const inScene = (t: Test, act: (server: TestServer) => Promise<void>) => withServer(t, { channels }, act)

const flagsOf = async (person: Person, id: number): Promise<unknown> => {
  const { messages } = await person.must.get("/messages", { message_ids: [id] })
  return objectsIn(messages)[0]?.["flags"]
}

const gist = ({ type, op, message_id, message_ids, flags, new_stream_id }: ReadEvent): Fields =>
  JSON.parse(JSON.stringify({ type, op, message_id, message_ids, flags, new_stream_id }))

t.test("a new account hears what becomes of messages that it was given, in a channel that is closed by now", (t) =>
  inScene(t, async (server) => {
    const hamlet = server.as("hamlet")
    const said = await hamlet.send("lobby", "before you came", { topic: "old" })
    const poll = await hamlet.send("lobby", "/poll fox", { topic: "old" })
    const moving = await hamlet.send("lobby", "goes away", { topic: "other" })
    const doomed = await hamlet.send("lobby", "not for long", { topic: "old" })
    const { person } = await join(server)
    await sameAfresh(t, server, "given messages")
    await makePrivate(server)
    t.match(await person.must.get(`/messages/${said}`), { message: { flags: ["read"] } }, "they may read it")

    const [live, late, left] = [await register(person), await register(person), await register(person)]
    await hamlet.must.post(`/messages/${said}/reactions`, { emoji_name: "octopus" })
    await hamlet.must.patch(`/messages/${said}`, { content: "edited" })
    const vote = JSON.stringify({ type: "vote", key: "canned,0", vote: 1 })
    await hamlet.must.post("/submessage", { message_id: poll, msg_type: "widget", content: vote })
    const iago = server.as("iago").must
    await iago.patch(`/messages/${said}`, { ...quiet, topic: "new", propagate_mode: "change_all" })
    const away = { ...quiet, stream_id: channelOf(server, "den"), propagate_mode: "change_all" }
    await iago.patch(`/messages/${moving}`, away)
    await iago.delete(`/messages/${doomed}`)
    const ids = [said, poll, doomed]
    const expected = [
      { type: "reaction", op: "add", message_id: said },
      { type: "update_message", message_id: said, message_ids: [said], flags: ["read"] },
      { type: "submessage", message_id: poll },
      { type: "update_message", message_id: doomed, message_ids: ids, flags: ["read"] },
      // They cannot read the channel that it was moved to.
      { type: "delete_message", message_id: moving },
      { type: "delete_message", message_id: doomed },
    ]
    const shown = (events: ReadonlyArray<ReadEvent>) => events.map(gist)
    t.match(shown(await read(person, live)), expected, "at once")
    t.equal((await read(person, live)).length, expected.length)
    await server.restart()
    const again = server.asEmail(email)
    t.same(shown(await read(again, late)), shown(await read(again, live)), "from the log, after a restart")

    await again.must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
    await server.as("hamlet").must.post(`/messages/${said}/reactions`, { emoji_name: "tada" })
    // The channel is private by now, so present access decides.
    t.equal((await again.get(`/messages/${said}`)).status, 400, "they do not read it any more when they have left")
    t.not((await read(again, left)).at(-1)?.type, "reaction", "nor hear of it")
  }),
)

t.test("a new account does with messages that it was given what it may do with those that it received", (t) =>
  inScene(t, async (server) => {
    const hamlet = server.as("hamlet")
    const send = (content: string, topic: string) => hamlet.send("lobby", content, { topic })
    const [first, second] = [await send("one", "old"), await send("two", "old")]
    const ids = [first, second]
    const moving = [await send("three", "away"), await send("four", "away")]
    const { id, person } = await join(server)
    await server.as("desdemona").must.patch(`/users/${id}`, { role: 200 })
    await makePrivate(server)
    const queue = await server.queue("hamlet", { event_types: types })

    const away = { ...quiet, stream_id: channelOf(server, "square"), propagate_mode: "change_all" }
    await person.must.patch(`/messages/${moving.at(-1)}`, away)
    t.match(await queue.rest(), [{ type: "update_message", message_ids: moving }], "all of a topic is moved")

    await hamlet.must.patch(`/messages/${first}`, { content: "@**all** and @**Late**" })
    const own = await register(person)
    t.same(
      await flagsOf(person, first),
      ["read", "mentioned", "stream_wildcard_mentioned", "wildcard_mentioned"],
      "an edit mentions them with all who hold it",
    )
    await hamlet.must.patch(`/messages/${first}`, { content: "@**all**, again" })
    const { flags } = gist((await read(person, own))[0] ?? { id: 0, type: "none" })
    t.same(flags, ["read", "stream_wildcard_mentioned", "wildcard_mentioned"])
    t.same(await flagsOf(person, first), flags, "the event says what they are shown")

    await person.must.post(`/messages/${second}/reactions`, { emoji_name: "tada" })
    await person.must.post("/messages/flags", { messages: [second], op: "remove", flag: "read" })
    t.same(await flagsOf(person, second), [])
    await person.must.post("/messages/flags", { messages: [second], op: "add", flag: "read" })
    const { user_ids } = await hamlet.must.get(`/messages/${second}/read_receipts`)
    t.ok(Array.isArray(user_ids) && user_ids.includes(id), "they are among its readers")
    t.same(
      await server.rows("select * from personal_message where user_id = $1", [id]),
      [],
      "without rows of their own",
    )

    await queue.rest()
    await server.as("desdemona").must.patch(`/users/${id}`, { role: 100 })
    const topic = { topic_name: "old" }
    await person.must.post(`/streams/${channelOf(server, "lobby")}/delete_topic`, topic)
    t.match(
      await queue.rest(),
      ids.map((each) => ({ type: "delete_message", message_id: each })),
      "all of a topic is deleted",
    )
  }),
)
