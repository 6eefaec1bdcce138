/** Topics that users mute, unmute or follow: both endpoints, both events and sections, limits. */
import t, { type Test } from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["hamlet"], isPrivate: true },
] as const

const set = (server: TestServer, name: Name, topic: string, visibility_policy: number, channel = "lobby") =>
  server.as(name).must.post("/user_topics", { stream_id: channelId(server, channel), topic, visibility_policy })
const older = "/users/me/subscriptions/muted_topics"
const topicsOf = async (server: TestServer, name: Name, fields: Fields = {}) => {
  const { state } = await server.queue(name, { fetch_event_types: ["user_topic"], ...fields })
  return state["user_topics"]
}

t.test("a topic is muted, followed and let go, with both events", (t) =>
  withServer(t, { channels }, async (server) => {
    const at = Math.floor(server.clock.now() / 1000)
    const stream_id = channelId(server, "lobby")
    const named = { client_capabilities: { empty_topic_name: true } }
    const all = await server.queue("hamlet", named)
    const both = await server.queue("hamlet", { event_types: ["user_topic", "muted_topics"] })
    const legacy = await server.queue("hamlet", { event_types: ["muted_topics"] })
    const others = await server.queue("cordelia")
    t.same([all.state["user_topics"], all.state["muted_topics"]], [[], []])

    await set(server, "hamlet", " Weather ", 1)
    await set(server, "hamlet", "weather", 1)
    await set(server, "hamlet", "WEATHER", 3)
    await set(server, "hamlet", "", 1)
    await set(server, "hamlet", "weather", 0)
    await set(server, "hamlet", "never named", 0)
    const event = (topic_name: string, visibility_policy: number) => ({
      type: "user_topic",
      stream_id,
      topic_name,
      last_updated: at,
      visibility_policy,
    })
    const muted = (...topics: ReadonlyArray<string>) => ({
      type: "muted_topics",
      muted_topics: topics.map((topic) => ["lobby", topic, at]),
    })
    const plain = (events: ReadonlyArray<object>) => events.map((each) => ({ ...each, id: undefined }))
    const expected = (empty: string) => [
      muted("Weather"),
      event("Weather", 1),
      muted(),
      event("WEATHER", 3),
      muted(empty),
      event(empty, 1),
      event("weather", 0),
    ]
    t.match(plain(await all.rest()), expected(""), "the older event comes first; what changes nothing makes none")
    const older = expected("general chat")
    t.match(
      plain(await legacy.rest()),
      older.filter(({ type }) => type === "muted_topics"),
    )
    t.match(
      plain(await both.rest()),
      older.filter(({ type }) => type === "user_topic"),
      "the newer form alone",
    )
    t.same(await others.rest(), [], "nobody else hears of it")
    t.same(await topicsOf(server, "cordelia"), [])

    const { type: _type, ...record } = event("", 1)
    t.same(await topicsOf(server, "hamlet", named), [record])
    t.same(await topicsOf(server, "hamlet"), [{ ...record, topic_name: "general chat" }])
    await set(server, "hamlet", 'a "quoted" \\ one', 2)
    const fresh = await server.queue("hamlet")
    t.match(fresh.state, {
      user_topics: [event('a "quoted" \\ one', 2), event("general chat", 1)].map(({ type: _, ...each }) => each),
      muted_topics: [["lobby", "general chat", at]],
    })
    await server.restart()
    t.equal(Object(await topicsOf(server, "hamlet")).length, 2, "they survive a restart")
  }),
)

t.test("the older endpoint, by name and by id", (t) =>
  withServer(t, { channels }, async (server) => {
    const hamlet = server.as("hamlet")
    await hamlet.must.patch(older, { stream: "LOBBY", topic: "a", op: "add" })
    await hamlet.must.patch(older, { stream_id: channelId(server, "lobby"), topic: "b", op: "add" })
    await hamlet.must.patch(older, { stream: "lobby", topic: "A", op: "remove" })
    await set(server, "hamlet", "followed", 3)
    await hamlet.must.patch(older, { stream: "lobby", topic: "followed", op: "remove" })
    const left = Object(await topicsOf(server, "hamlet"))
    t.same(
      left.map((each: Fields) => [each["topic_name"], each["visibility_policy"]]),
      [
        ["b", 1],
        ["followed", 3],
      ],
      "only a muted topic is unmuted",
    )
    const unknown = { code: "BAD_REQUEST" }
    await refuses(
      t,
      [
        { when: "no channel", fields: {}, msg: "Missing 'stream_id' argument", code: "REQUEST_VARIABLE_MISSING" },
        {
          when: "both",
          fields: { stream: "lobby", stream_id: 1 },
          msg: "Unsupported parameter combination: stream_id, stream",
          also: { parameters: "stream_id, stream" },
        },
        { ...unknown, when: "no such name", fields: { stream: "nowhere" }, msg: "Invalid channel name 'nowhere'" },
        { ...unknown, when: "no such id", fields: { stream_id: 99 }, msg: "Invalid channel ID" },
        { when: "another op", fields: { stream: "lobby", op: "toggle" }, msg: "Invalid op" },
      ],
      (fields) => hamlet.patch(older, { topic: "t", op: "add", ...fields }),
    )
    await refuses(
      t,
      [
        { when: "hidden, by name", fields: { stream: "den" }, msg: "Invalid channel name 'den'" },
        { when: "hidden, by id", fields: { stream_id: channelId(server, "den") }, msg: "Invalid channel ID" },
      ],
      (fields) => server.as("cordelia").patch(older, { topic: "t", op: "add", ...fields }),
    )
  }),
)

t.test("refusals and limits", (t) =>
  withServer(t, { channels }, async (server) => {
    const stream_id = channelId(server, "lobby")
    await refuses(
      t,
      [
        { when: "no such channel", fields: { stream_id: 99 }, msg: "Invalid channel ID" },
        { when: "a long topic", fields: { topic: "x".repeat(61) }, msg: "topic is too long (limit: 60 characters)" },
        { when: "a bad character", fields: { topic: "a\tb" }, msg: "Invalid character in topic, at position 2!" },
        { when: "a policy above", fields: { visibility_policy: 4 }, msg: "Invalid visibility_policy" },
        { when: "a policy below", fields: { visibility_policy: -1 }, msg: "Invalid visibility_policy" },
        { when: "no number", fields: { visibility_policy: "muted" }, msg: "visibility_policy is not an integer" },
      ],
      (fields) =>
        server.as("cordelia").post("/user_topics", { stream_id, topic: "t", visibility_policy: 1, ...fields }),
    )
    t.match(
      await server
        .as("cordelia")
        .post("/user_topics", { stream_id: channelId(server, "den"), topic: "t", visibility_policy: 1 }),
      {
        status: 400,
        body: { msg: "Invalid channel ID" },
      },
      "a hidden channel is like none",
    )
    t.same(await topicsOf(server, "cordelia"), [])
    const fill = async (policy: number, from: number, to: number) => {
      const own = [server.realmId, server.idOf("hamlet")]
      await server.rows(
        `insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
         select $1, $2, $3, 't' || n, 't' || n, $4, 0 from generate_series($5::integer, $6::integer) as n`,
        [...own, stream_id, policy, from, to],
      )
      await server.rows("delete from user_topic_total where realm_id = $1 and user_id = $2", own)
      await server.rows(
        `insert into user_topic_total (realm_id, user_id, topics, muted)
         select realm_id, user_id, count(*), count(*) filter (where policy = 1) from user_topic
          where realm_id = $1 and user_id = $2 group by realm_id, user_id`,
        own,
      )
    }
    await fill(1, 1, 1000)
    const tooMany = (visibility_policy: number) =>
      server.as("hamlet").post("/user_topics", { stream_id, topic: "one more", visibility_policy })
    t.match(await tooMany(1), { status: 400, body: { msg: "You can mute at most 1000 topics." } })
    t.match(await tooMany(3), { status: 200 })
    await fill(3, 1001, 9999)
    t.match(await server.as("hamlet").post("/user_topics", { stream_id, topic: "two more", visibility_policy: 3 }), {
      status: 400,
      body: { msg: "You can have a policy for at most 10000 topics." },
    })
    t.equal(Object(await topicsOf(server, "hamlet")).length, 10_000)
    await set(server, "hamlet", "t1", 0)
    await set(server, "hamlet", "two more", 1)
  }),
)

t.test("a message that is unread again says whether it is muted", (t) =>
  withServer(t, { channels }, async (server) => {
    const stream_id = channelId(server, "lobby")
    const hamlet = server.as("hamlet")
    const sent = new Map<string, unknown>()
    for (const topic of ["plain", "muted", "followed", "unmuted"]) {
      const fields = { type: "channel", to: "lobby", topic, content: "@**all**" }
      sent.set(topic, (await server.as("cordelia").must.post("/messages", fields))["id"])
    }
    await set(server, "hamlet", "MUTED", 1)
    await set(server, "hamlet", "FOLLOWED", 3)
    await set(server, "hamlet", "UNMUTED", 2)
    const queue = await server.queue("hamlet", { event_types: ["update_message_flags"] })
    const heard = async () => {
      await hamlet.must.post("/messages/flags", { op: "add", flag: "read", messages: [...sent.values()] })
      await hamlet.must.post("/messages/flags", { op: "remove", flag: "read", messages: [...sent.values()] })
      const details = Object((await queue.rest()).at(-1)?.["message_details"])
      for (const key of ["unmuted_stream_msg", "mentioned"])
        t.same(
          [...sent].filter(([, id]) => details[String(id)][key] === true).map(([topic]) => topic),
          [...sent.keys()].filter((topic) => (isMuted ? topic.endsWith("ed") : true) && topic !== "muted"),
          key,
        )
      const { state } = await server.queue("hamlet", { fetch_event_types: ["message", "update_message_flags"] })
      t.equal(Object(state["unread_msgs"]).count, isMuted ? 2 : 3)
    }
    let isMuted = false
    await heard()
    isMuted = true
    const subscription_data = [{ stream_id, property: "is_muted", value: true }]
    await hamlet.must.post("/users/me/subscriptions/properties", { subscription_data })
    await heard()
  }),
)

/** Hamlet, who has left the private channel, takes back what he said of its topics. */
const takenBack = async (t: Test, server: TestServer, topics: ReadonlyArray<string>) => {
  const stream_id = channelId(server, "den")
  const hamlet = server.as("hamlet")
  const post = (topic: string, visibility_policy: number, fields = {}) =>
    hamlet.post("/user_topics", { stream_id, topic, visibility_policy, ...fields })
  const unseen = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid channel ID" } }
  t.match(await post("t", 3), unseen, "only taken back")
  t.match(await hamlet.patch(older, { stream_id, topic: "followed", op: "remove" }), unseen, "not muted")
  const queue = await server.queue("hamlet", { event_types: ["user_topic"] })
  for (const topic of topics)
    if (topic === "older") await hamlet.must.patch(older, { stream_id, topic, op: "remove" })
    else await set(server, "hamlet", topic, 0, "den")
  t.match(
    await queue.rest(),
    topics.map((topic_name) => ({ type: "user_topic", stream_id, topic_name, visibility_policy: 0 })),
  )
  t.same(await topicsOf(server, "hamlet"), [])
  const again = await post("t", 0)
  t.match(again, unseen, "there is nothing any more")
  for (const id of [99, 2 ** 40, -1, channelId(server, "lobby") + 2 ** 32]) {
    const { status, body } = await post("t", 0, { stream_id: id })
    t.same({ status, body }, { status: again.status, body: again.body }, "as in a channel that does not exist")
  }
}

t.test("who loses sight of a channel does not learn its new name", (t) =>
  withServer(t, { channels }, async (server) => {
    await set(server, "hamlet", "t", 1, "den")
    const mutedNow = async () =>
      (await server.queue("hamlet", { fetch_event_types: ["muted_topics"] })).state["muted_topics"]
    t.match(await mutedNow(), [["den", "t", Number]])
    await server.as("hamlet").must.delete("/users/me/subscriptions", { subscriptions: ["den"] })
    await server.as("iago").must.patch(`/streams/${channelId(server, "den")}`, { new_name: "secret plans" })
    t.same(await mutedNow(), [])
    t.match(await topicsOf(server, "hamlet"), [{ topic_name: "t" }], "what they said of it is theirs")
  }),
)

t.test(
  "what a user said of a topic can be taken back when its channel is out of sight, and nothing else done there",
  (t) =>
    withServer(t, { channels }, async (server) => {
      for (const topic of ["t", "older"]) await set(server, "hamlet", topic, 1, "den")
      await set(server, "hamlet", "followed", 3, "den")
      await set(server, "cordelia", "public", 1)
      await server.as("hamlet").must.delete("/users/me/subscriptions", { subscriptions: ["den"] })
      await takenBack(t, server, ["t", "older", "followed"])
      await server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
      await server.as("iago").must.patch(`/users/${server.idOf("cordelia")}`, { role: 600 })
      await set(server, "cordelia", "public", 0)
      t.same(await topicsOf(server, "cordelia"), [], "by a change of role, too")
    }),
)

t.test("I13: policies settle", (t) =>
  withServer(t, { channels }, async (server) => {
    await set(server, "hamlet", "old", 1)
    await set(server, "hamlet", "gone", 2)
    const views = viewsOf(server, undefined, ["hamlet", "cordelia"])
    const seen = await settles(t, views, "policies come, change and go", async () => {
      await set(server, "hamlet", "new", 3)
      await set(server, "hamlet", "OLD", 3)
      await set(server, "hamlet", "", 1)
      await set(server, "hamlet", "gone", 0)
      await set(server, "cordelia", "own", 1)
      await server.as("iago").must.patch(`/streams/${channelId(server, "lobby")}`, { new_name: "hall" })
      await set(server, "cordelia", "newer", 1, "hall")
    })
    for (const kind of ["user_topic", "muted_topics"]) t.ok(seen.has(kind), kind)
  }),
)
