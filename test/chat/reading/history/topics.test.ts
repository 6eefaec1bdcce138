/** GET /users/me/{stream_id}/topics: the list, its order, and which topics a user sees. */
import * as Effect from "effect/Effect"
import t from "tap"
import { findTopics, newestFirst } from "../../../../src/chat/reading/history/topics-store.ts"
import type { UserRead } from "../../../../src/db/reads.ts"
import { ChannelId, RealmId, UserId } from "../../../../src/ids.ts"
import type { Fields } from "../../../kit/client.ts"
import { openEmpty } from "../../../kit/lent-database.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channelId = (server: TestServer, name: string): number => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

/** As pairs of name and newest id, in the order of the answer. */
const topics = async (server: TestServer, name: Name, channel: string, fields: Fields = {}) => {
  const body = await server.as(name).must.get(`/users/me/${channelId(server, channel)}/topics`, fields)
  return recordsIn(body["topics"]).map((each) => {
    if (Object.keys(each).sort().join() !== "max_id,name") throw new Error(JSON.stringify(each))
    return [each["name"], each["max_id"]]
  })
}

/** Ids in descending order, `count` of them. */
const range = (count: number, from: number) => Array.from({ length: count }, (_, n) => from - n)

t.test("the parts of a long list become one, in order, while it is asked for", (t) => {
  const part = (...ids: ReadonlyArray<number>) => ids.map((id) => ({ topic: `topic ${id}`, folded: `topic ${id}`, id }))
  const list = newestFirst([part(9, 4, 1), part(), part(8, 7, 3), part(6)])
  t.equal(list.next().value?.id, 9)
  t.same(
    [...list].map(({ id }) => id),
    [8, 7, 6, 4, 3, 1],
  )
  t.same([...newestFirst([])], [])
  t.end()
})

t.test("topics are listed by their newest message", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "polonius"] },
        { name: "other", users: ["hamlet"] },
      ],
    },
    async (server) => {
      const send = (topic: string, channel = "lobby") => server.as("hamlet").send(channel, "c", { topic })
      t.same(await topics(server, "hamlet", "lobby"), [], "a channel without messages")
      const first = await send("Lunch")
      const second = await send("")
      const third = await send("plans")
      await send("elsewhere", "other")
      t.same(await topics(server, "hamlet", "lobby"), [
        ["plans", third],
        ["general chat", second],
        ["Lunch", first],
      ])
      t.same(await topics(server, "hamlet", "lobby", { allow_empty_topic_name: true }), [
        ["plans", third],
        ["", second],
        ["Lunch", first],
      ])
      const fourth = await send("LUNCH")
      const fifth = await send("Été")
      const sixth = await send("éTÉ")
      const all = [
        ["éTÉ", sixth],
        ["LUNCH", fourth],
        ["plans", third],
        ["general chat", second],
      ]
      t.ok(fifth < sixth)
      t.same(
        await topics(server, "hamlet", "lobby"),
        all,
        "letters of either case are one topic, called as it was last",
      )
      for (const name of ["polonius", "cordelia", "iago"] as const)
        t.same(await topics(server, name, "lobby"), all, `a public history is ${name}'s to read`)
      t.match(
        await server.as("hamlet").get(`/users/me/${channelId(server, "lobby")}/topics`, { allow_empty_topic_name: 1 }),
        { status: 400, body: { code: "BAD_REQUEST", msg: "allow_empty_topic_name is not a boolean" } },
      )
    },
  ),
)

t.test("topics that differ only in case are one topic: in live queues, in history and in the list", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const hamlet = server.as("hamlet")
    // The topics of each list are one topic.
    const spellings = [
      ["Οδος", "ΟΔΟΣ", "οδοσ"],
      ["İzmir", "izmir", "IZMIR", "I\u0307zmir"],
      ["Straße", "STRAẞE"],
      ["Привет", "ПРИВЕТ"],
      ["\u212Aelvin", "kelvin"],
    ]
    for (const [first = "", ...others] of spellings) {
      const all = [first, ...others]
      const narrow = (topic: string) => ({ narrow: [["topic", topic]], event_types: ["message"] })
      const queues = await Promise.all(all.map((topic) => server.queue("hamlet", narrow(topic))))
      const ids: Array<number> = []
      for (const topic of all) ids.push(await hamlet.send("lobby", "c", { topic }))
      for (const [n, topic] of all.entries()) {
        const live = await queues[n]?.rest()
        t.same(
          live?.map(({ message }) => recordsIn([message])[0]?.["id"]),
          ids,
          `${topic}, live`,
        )
        const find = async (negated: boolean) => {
          const terms = [{ operator: "topic", operand: topic, negated }]
          const fields = { anchor: "newest", num_before: 100, num_after: 0, narrow: terms }
          return pluck((await hamlet.must.get("/messages", fields))["messages"], "id")
        }
        t.same(await find(false), ids, `${topic}, in history`)
        t.notOk(
          (await find(true)).some((id) => ids.includes(Number(id))),
          `not ${topic}, in history`,
        )
      }
      t.match((await topics(server, "hamlet", "lobby"))[0], [all.at(-1), ids.at(-1)])
    }
    t.equal((await topics(server, "hamlet", "lobby")).length, spellings.length)
  }),
)

t.test("a user who may not read the history sees only topics of messages that they hold", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "leads", users: ["hamlet"], isPrivate: true, historyShared: false },
        { name: "shared", users: ["hamlet"], isPrivate: true, historyShared: true },
      ],
    },
    async (server) => {
      const send = (topic: string, channel = "leads") => server.as("hamlet").send(channel, "c", { topic })
      const add = (channel: string) =>
        server.as("hamlet").must.post("/users/me/subscriptions", {
          subscriptions: [{ name: channel }],
          principals: [server.idOf("cordelia")],
        })
      const leave = () => server.as("cordelia").must.delete("/users/me/subscriptions", { subscriptions: ["leads"] })
      const before = await send("before")
      const bothBefore = await send("both")
      const shared = await send("shared", "shared")
      await add("leads")
      await add("shared")
      t.same(await topics(server, "cordelia", "leads"), [], "she came later")
      t.same(await topics(server, "cordelia", "shared"), [["shared", shared]], "but a shared history is hers")
      const both = await send("BOTH")
      const during = await send("during")
      await leave()
      const missed = await send("missed")
      const duringLater = await send("During")
      await add("leads")
      const after = await send("after")
      const held = [
        ["after", after],
        ["during", during],
        ["BOTH", both],
      ]
      t.same(await topics(server, "cordelia", "leads"), held, "by both of her times in the channel")
      const everything = [
        ["after", after],
        ["During", duringLater],
        ["missed", missed],
        ["BOTH", both],
        ["before", before],
      ]
      t.same(await topics(server, "hamlet", "leads"), everything)
      t.same(await topics(server, "iago", "leads"), [], "an administrator may know of the channel, and holds nothing")

      await t.test("a moved message counts from when it came into the channel", async (t) => {
        // Nothing moves messages yet: one that came while she was there, and one that came back when she had left.
        const move = (id: number, since: number) =>
          server.rows("update message set channel_since = $2::bigint where realm_id = 1 and id = $1::bigint", [
            id,
            since,
          ])
        await move(before, during)
        await move(both, missed)
        t.same(await topics(server, "cordelia", "leads"), [
          ["after", after],
          ["during", during],
          ["before", before],
        ])
        await move(bothBefore, after)
        t.same(await topics(server, "cordelia", "leads"), [
          ["after", after],
          ["during", during],
          ["both", bothBefore],
          ["before", before],
        ])
        await move(before, server.realm.realm.position + 1)
        const known = everything.filter(([name]) => name !== "before")
        t.same(await topics(server, "hamlet", "leads"), known, "and not before this server knows of it")
      })

      await leave()
      t.match(await server.as("cordelia").get(`/users/me/${channelId(server, "leads")}/topics`), {
        status: 400,
        body: { code: "BAD_REQUEST", msg: "Invalid channel ID" },
      })
    },
  ),
)

t.test("the list takes one SQL statement, whatever the number of topics and messages", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const hamlet = server.as("hamlet")
    const numbers = Array.from({ length: 300 }, (_, number) => number)
    await Promise.all(numbers.map((number) => hamlet.send("lobby", "c", { topic: `topic ${number % 50}` })))
    const id = await hamlet.send("lobby", "c", { topic: "Topic 7" })
    const before = server.database.statements()
    const found = await topics(server, "hamlet", "lobby")
    t.equal(server.database.statements() - before, 1)
    t.equal(found.length, 50)
    t.same(found[0], ["Topic 7", id])
  }),
)

t.test("topics of one message and of thousands are all listed once, in few short statements", async (t) => {
  const { query, database } = await openEmpty(t)
  await query("insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)")
  await query(
    "insert into subscription_span (realm_id, channel_id, user_id, opened, closed, reads_from) values (1, 4, 7, 1, null, 501)",
  )
  // Nine hundred topics, then one of three thousand messages, and nine hundred again.
  await query(
    `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content, rendered, client,
       read_by_sender, sent_at)
     select 1, n, 7, 4, n, topic, topic, 'c', '<p>c</p>', 'test', true, 0 from (
       select n, case when n <= 900 then 'b ' || n when n <= 3900 then 'big' else 'c ' || n end as topic
         from generate_series(1, 4800) n) as made`,
  )
  const find = async (holder: UserId | null) => {
    let statements = 0
    const reading: UserRead = {
      query: (sql, parameters) => {
        statements += 1
        return database.query(sql, parameters)
      },
    }
    const scope = { realm: RealmId(1), channel: ChannelId(4), head: 4800, holder }
    const parts = await Effect.runPromise(findTopics(reading, scope))
    return { found: [...newestFirst(parts)].map(({ topic, id }) => ({ topic, id })), statements }
  }
  const expected = [
    ...range(900, 4800).map((id) => ({ topic: `c ${id}`, id })),
    { topic: "big", id: 3900 },
    ...range(900, 900).map((id) => ({ topic: `b ${id}`, id })),
  ]
  const all = await find(null)
  t.same(all.found, expected)
  t.ok(all.statements <= 6, `${all.statements} statements`)
  const held = await find(UserId(7))
  t.same(
    held.found,
    expected.filter(({ id }) => id >= 501),
    "what they hold",
  )
  t.ok(held.statements <= 12, `${held.statements} statements`)
})

t.test("where the history is hidden, topics of messages are listed that a user holds by a row of their own", (t) =>
  withServer(
    t,
    { channels: [{ name: "den", users: ["cordelia", "iago"], isPrivate: true, historyShared: true }] },
    async (server) => {
      const den = channelId(server, "den")
      const send = (topic: string) => server.as("cordelia").send("den", "c", { topic })
      const starred = await send("Starred")
      const both = [await send("both"), await send("read")] as const
      await server.as("iago").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "den" }],
        principals: [server.idOf("hamlet")],
      })
      const messages = [starred, ...both]
      await server.as("hamlet").must.post("/messages/flags", { messages, op: "add", flag: "starred" })
      const newer = await send("BOTH")
      await server.as("iago").must.patch(`/streams/${den}`, { is_private: true, history_public_to_subscribers: false })
      const listed = (await topics(server, "hamlet", "den")).filter(([name]) => name !== "channel events")
      t.same(listed, [
        ["BOTH", newer],
        ["read", both[1]],
        ["Starred", starred],
      ])
    },
  ),
)
