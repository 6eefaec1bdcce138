/** Topics that are marked as resolved, or not any more: which names do that, and who has its notice unread. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { numbersIn, objectIn, objectsIn } from "../../../kit/client-sections.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const names = ["hamlet", "cordelia", "othello", "iago", "shiva"] as const
const channels = [
  { name: "lobby", users: names },
  { name: "other", users: names },
] as const

const move = (server: TestServer, by: Name, message: number, fields: Fields) =>
  server.as(by).must.patch(`/messages/${message}`, { propagate_mode: "change_all", ...fields })
const say = (server: TestServer, topic: string, channel = "lobby") => server.as("iago").send(channel, "one", { topic })
const set = (server: TestServer, name: Name, resolved_topic_notice_auto_read_policy: string) =>
  server.as(name).must.patch("/settings", { resolved_topic_notice_auto_read_policy })
const setPolicy = (server: TestServer, name: Name, topic: string, visibility_policy: number) =>
  server.as(name).must.post("/user_topics", { stream_id: channelId(server, "lobby"), topic, visibility_policy })

/** The newest message of the channel. */
const newest = async (server: TestServer): Promise<Fields> => {
  const page = { anchor: "newest", num_before: 1, num_after: 0, narrow: [["channel", "lobby"]], apply_markdown: false }
  return objectsIn((await server.as("iago").must.get("/messages", page))["messages"])[0] ?? {}
}

/** Whether a user has a message unread, by each place that says so. */
const unreadBy = async (server: TestServer, name: Name, id: number) => {
  const user = server.as(name).must
  const { message } = await user.get(`/messages/${id}`)
  const state = await user.post("/register", { fetch_event_types: ["message", "update_message_flags"] })
  const listed = objectsIn(objectIn(state["unread_msgs"])["streams"]).flatMap((each) =>
    numbersIn(each["unread_message_ids"]),
  )
  const page = { anchor: "newest", num_before: 100, num_after: 0, narrow: [["is", "unread"]] }
  const found = objectsIn((await user.get("/messages", page))["messages"]).map((each) => each["id"])
  return { flags: objectIn(message)["flags"], listed: listed.includes(id), found: found.includes(id) }
}
const unread = { flags: [], listed: true, found: true }
const read = { flags: ["read"], listed: false, found: false }

t.test(
  "the notice of a resolution is read from the start, as each has set it",
  inTurn(2, "notices of resolutions"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await set(server, "cordelia", "never")
      await set(server, "othello", "always")
      const id = await say(server, "plans")
      for (const name of ["iago", "othello"] as const) await setPolicy(server, name, "plans", 3)
      await setPolicy(server, "shiva", "plans", 1)
      const wanted = [
        ["hamlet", read],
        ["cordelia", unread],
        ["othello", read],
        ["iago", unread],
        ["shiva", read],
      ] as const
      const resolve = async (topic: string, by: Name, what: string) => {
        const queue = (name: Name) => server.queue(name, { event_types: ["message"] })
        const queues = await Promise.all(
          names.map(async (name) => ({ name, now: await queue(name), later: await queue(name) })),
        )
        await move(server, by, id, { topic })
        const notice = Number((await newest(server))["id"])
        const events = wanted.map(([, { flags }]) => [{ message: { id: notice, subject: topic }, flags }])
        t.match(await Promise.all(queues.map(({ now }) => now.rest())), events, `${what}, live`)
        const compare = async (when: string) => {
          for (const [name, looks] of wanted)
            t.same(await unreadBy(server, name, notice), looks, `${what}, ${name}${when}`)
        }
        await compare("")
        await server.restart()
        const resumed = queues.map(({ name, later }) => server.resume(name, later).rest())
        t.match(await Promise.all(resumed), events, `${what}, from the log`)
        await compare(", after a restart")
        return notice
      }
      const notice = await resolve("\u2714 plans", "hamlet", "resolved")
      await resolve("plans", "iago", "unresolved")

      await server.as("hamlet").must.post("/messages/flags", { op: "remove", flag: "read", messages: [notice] })
      t.same(await unreadBy(server, "hamlet", notice), unread, "who wants it unread has it so")
      await move(server, "iago", notice, { topic: "elsewhere", stream_id: channelId(server, "other") })
      t.same(await unreadBy(server, "othello", notice), read, "in another channel, too")
      t.same(await unreadBy(server, "cordelia", notice), unread)
    }),
)

t.test("who follows the topic with which a resolved one is merged has the notice unread", (t) =>
  withServer(t, { channels }, async (server) => {
    await say(server, "\u2714 plans")
    await setPolicy(server, "cordelia", "\u2714 PLANS", 3)
    const id = await say(server, "plans")
    await setPolicy(server, "hamlet", "Plans", 3)
    await move(server, "othello", id, { topic: "\u2714 plans" })
    const { id: notice, subject } = await newest(server)
    t.equal(subject, "\u2714 plans")
    for (const name of ["hamlet", "cordelia"] as const)
      t.same(await unreadBy(server, name, Number(notice)), unread, name)
    for (const name of ["othello", "iago"] as const) t.same(await unreadBy(server, name, Number(notice)), read, name)
  }),
)

t.test(
  "the notice takes as much room for many who have not set anything as for few",
  inTurn(2, "the notice takes as much room for many who have not set anything as for few"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      await setPolicy(server, "hamlet", "plans", 3)
      await move(server, "iago", await say(server, "plans"), { topic: "\u2714 plans" })
      const { id } = await newest(server)
      const rows = ["personal_message", "read_ranges"].map((table) => `(select count(*) from ${table})`).join(" + ")
      const user = server.idOf("hamlet")
      t.same(
        await server.rows(`select muted_for::text as read_by, (${rows})::integer as rows from message where id = $1`, [
          Number(id),
        ]),
        [{ read_by: `{(,${user}),[${user + 1},)}`, rows: 0 }],
      )
    }),
)

t.test("a long topic is resolved, and its name is cut", inTurn(2, "long resolved topics"), (t) =>
  withServer(t, { channels }, async (server) => {
    for (const length of [58, 59, 60]) {
      const topic = "p".repeat(length)
      const id = await say(server, topic)
      server.clock.advance(8 * 24 * 3600 * 1000)
      await move(server, "hamlet", id, { topic: `\u2714 ${topic}` })
      const subject = length === 58 ? `\u2714 ${topic}` : `\u2714 ${topic.slice(0, 55)}...`
      t.match(
        await newest(server),
        { subject, content: /has marked this topic as resolved\.$/ },
        `${length} characters`,
      )
      await move(server, "hamlet", id, { topic: subject.slice(2) })
      t.match(await newest(server), { subject: subject.slice(2), content: /has marked this topic as unresolved\.$/ })
      await server.as("desdemona").must.post(`/streams/${channelId(server, "lobby")}/delete_topic`, {
        topic_name: subject.slice(2),
      })
    }
  }),
)

t.test("the empty topic is not resolved", inTurn(2, "the empty topic is not resolved"), (t) =>
  withServer(t, { channels }, async (server) => {
    const [empty, named] = [await say(server, ""), await say(server, "plans")]
    for (const id of [empty, named]) {
      for (const topic of ["\u2714", " \u2714 ", "\u2714 general chat", "\u2714 General Chat", "\u2714 (no topic)"]) {
        const answer = await server.as("iago").patch(`/messages/${id}`, { topic })
        t.equal(answer.status, 400)
        t.match(answer.body, { msg: "General chat cannot be marked as resolved", code: "BAD_REQUEST" }, topic)
      }
    }
    await move(server, "iago", empty, { topic: "\u2714 general chatter" })
    t.match(await newest(server), { subject: "\u2714 general chatter" })
  }),
)
