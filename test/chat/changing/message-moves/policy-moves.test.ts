/** Choices that users made about a topic go with its messages. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { inTurn } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "den", users: ["hamlet", "iago"], isPrivate: true },
] as const

const set = (server: TestServer, name: Name, topic: string, visibility_policy: number) =>
  server.as(name).must.post("/user_topics", { stream_id: channelId(server, "lobby"), topic, visibility_policy })
const policiesOf = async (server: TestServer, name: Name) => {
  const { state } = await server.queue(name, { fetch_event_types: ["user_topic"] })
  return Object(state["user_topics"]).map((each: Fields) => [
    each["stream_id"],
    each["topic_name"],
    each["visibility_policy"],
  ])
}

/** Has hamlet, and eighty who have no account, follow a topic: their policies are moved in parts. */
const follow = (server: TestServer, topic: string) =>
  server.rows(
    `insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
     select $1, $2::integer + n, $3, $4, $4, 3, 0 from generate_series(0, 80) as n`,
    [server.realmId, server.idOf("hamlet"), channelId(server, "lobby"), topic],
  )
const move = (server: TestServer, message: number, fields: Fields) =>
  server.as("iago").must.patch(`/messages/${message}`, {
    send_notification_to_new_thread: false,
    propagate_mode: "change_all",
    ...fields,
  })

t.test("policies go with a topic", (t) =>
  withServer(t, { channels }, async (server) => {
    const [lobby, den] = [channelId(server, "lobby"), channelId(server, "den")]
    const one = await server.as("hamlet").send("lobby", "one", { topic: "old" })
    const two = await server.as("hamlet").send("lobby", "two", { topic: "old" })
    await set(server, "hamlet", "old", 3)
    await set(server, "cordelia", "old", 1)
    await set(server, "cordelia", "target", 2)
    await move(server, one, { topic: "part", propagate_mode: "change_one" })
    t.same(await policiesOf(server, "hamlet"), [[lobby, "old", 3]], "messages are left")
    await move(server, one, { topic: "old" })

    const queue = await server.queue("hamlet", { event_types: ["update_message", "user_topic", "message"] })
    const muted = await server.queue("cordelia", { event_types: ["muted_topics"] })
    await move(server, two, { topic: "target", send_notification_to_new_thread: true })
    t.match(
      await queue.rest(),
      [
        { type: "update_message" },
        { type: "user_topic", topic_name: "old", visibility_policy: 0 },
        { type: "user_topic", topic_name: "target", visibility_policy: 3 },
        { type: "message" },
      ],
      "after the move, before the notice",
    )
    t.match(await muted.rest(), [{ muted_topics: [] }])
    t.same(await policiesOf(server, "hamlet"), [[lobby, "target", 3]])
    t.same(await policiesOf(server, "cordelia"), [[lobby, "target", 2]], "the stronger one stays")
    await move(server, two, { topic: "TARGET" })
    t.same(await policiesOf(server, "hamlet"), [[lobby, "TARGET", 3]], "another spelling is the same topic")

    const others = await server.queue("cordelia", { event_types: ["user_topic"] })
    await move(server, two, { topic: "secret", stream_id: den })
    t.same(await policiesOf(server, "hamlet"), [[den, "secret", 3]])
    t.same(await policiesOf(server, "cordelia"), [], "who may not read it there has none")
    t.match(await others.rest(), [{ topic_name: "TARGET", visibility_policy: 0 }])
    const last = await server.as("hamlet").send("lobby", "last", { topic: "single" })
    await set(server, "hamlet", "single", 2)
    await move(server, last, { topic: "empty now", propagate_mode: "change_one" })
    t.same(
      (await policiesOf(server, "hamlet")).filter(([id]: ReadonlyArray<unknown>) => id === lobby),
      [[lobby, "empty now", 2]],
      "the last message takes them along",
    )
  }),
)

t.test(
  "another spelling of a topic is told to who has a policy for it, and register has it",
  inTurn(2, "spellings of topics"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const lobby = channelId(server, "lobby")
      const spellings = [
        ["lunch", "Lunch", "LUNCH"],
        ["обед", "Обед", "ОБЕД"],
        ["οδος", "Οδος", "ΟΔΟΣ"],
        ["çay", "Çay", "ÇAY"],
        ["✔ done", "✔ Done", "✔ DONE"],
        ["a.b/c d", "A.b/C d", "A.B/C D"],
      ] as const
      for (const [first, second, third] of spellings) {
        const [one, two] = [
          await server.as("hamlet").send("lobby", "one", { topic: first }),
          await server.as("hamlet").send("lobby", "two", { topic: first }),
        ]
        await set(server, "hamlet", first, 1)
        await set(server, "cordelia", third, 3)
        await set(server, "iago", first, 2)
        const queues = await Promise.all(
          (["hamlet", "cordelia", "iago"] as const).map((name) => server.queue(name, { event_types: ["user_topic"] })),
        )
        const older = await server.queue("hamlet", { event_types: ["muted_topics"] })
        const told = async () => {
          const events = await Promise.all(queues.map((queue) => queue.rest()))
          return events.map((each) => each.map((event) => [event["topic_name"], event["visibility_policy"]]))
        }
        await move(server, two, { topic: second, propagate_mode: "change_later" })
        t.same(await told(), [[], [], []], `${first}: some messages have the older spelling`)
        await move(server, one, { topic: second })
        const changed = (policy: number, before: string, after: string) => [
          [before, 0],
          [after, policy],
        ]
        t.same(await told(), [changed(1, first, second), changed(3, third, second), changed(2, first, second)], second)
        t.match((await older.rest()).at(-1), { muted_topics: [["lobby", second]] }, "clients of the older list, too")
        for (const [name, policy] of [
          ["hamlet", 1],
          ["cordelia", 3],
          ["iago", 2],
        ] as const)
          t.same(
            (await policiesOf(server, name)).filter(([, topic]: ReadonlyArray<unknown>) => topic === second),
            [[lobby, second, policy]],
            `${name} at register`,
          )
        await move(server, one, { topic: third, propagate_mode: "change_one" })
        t.same(await told(), [[], [], []], "and the other way")
        await move(server, two, { topic: third, propagate_mode: "change_one" })
        t.same(await told(), [changed(1, second, third), changed(3, second, third), changed(2, second, third)], third)
        await move(server, two, { topic: `${first}, over`, propagate_mode: "change_all" })
        await server
          .as("hamlet")
          .must.post("/user_topics", { stream_id: lobby, topic: `${first}, over`, visibility_policy: 0 })
      }
      const last = await server.as("hamlet").send("lobby", "three", { topic: "many" })
      await follow(server, "many")
      await move(server, last, { topic: "MANY" })
      t.same(await server.rows("select id from unfinished_work"), [])
      t.same(
        await server.rows("select distinct topic from user_topic where topic_folded = 'many'"),
        [{ topic: "MANY" }],
        "all parts are done: nobody is left with the older spelling",
      )
    }),
)

t.test("a notice where the messages were does not keep policies there", (t) =>
  withServer(t, { channels }, async (server) => {
    const lobby = channelId(server, "lobby")
    const both = { send_notification_to_old_thread: true, send_notification_to_new_thread: true }
    const types = { event_types: ["update_message", "user_topic", "message", "stream"] }
    const id = await server.as("hamlet").send("lobby", "one", { topic: "old" })
    await set(server, "hamlet", "old", 3)
    const queue = await server.queue("hamlet", types)
    await move(server, id, { ...both, topic: "new", propagate_mode: "change_one" })
    t.match(
      await queue.rest(),
      [
        { type: "update_message", message_ids: [id] },
        { type: "user_topic", topic_name: "old", visibility_policy: 0 },
        { type: "user_topic", topic_name: "new", visibility_policy: 3 },
        { message: { subject: "new" } },
        { message: { subject: "old" } },
      ],
      "the notices come last",
    )
    t.same(await policiesOf(server, "hamlet"), [[lobby, "new", 3]])

    const last = await server.as("hamlet").send("lobby", "two", { topic: "third" })
    await follow(server, "third")
    await move(server, last, { ...both, topic: "fourth", propagate_mode: "change_one" })
    t.same((await policiesOf(server, "hamlet")).sort(), [
      [lobby, "fourth", 3],
      [lobby, "new", 3],
    ])
    t.same(await server.rows("select from user_topic where topic_folded = 'third'"), [], "nor those of later parts")

    const early = await server.as("hamlet").send("lobby", "three", { topic: "fifth" })
    await server.as("hamlet").send("lobby", "four", { topic: "fifth" })
    await follow(server, "fifth")
    await move(server, early, { ...both, topic: "sixth", propagate_mode: "change_one" })
    const left = await server.rows("select count(*)::integer as n from user_topic where topic_folded = 'fifth'")
    t.same(left, [{ n: 81 }], "a later message keeps them")
  }),
)

t.test("a notice is the first message of a channel that its move has emptied", (t) =>
  withServer(t, { channels }, async (server) => {
    const [lobby, den] = [channelId(server, "lobby"), channelId(server, "den")]
    const id = await server.as("hamlet").send("lobby", "one", { topic: "old" })
    const queue = await server.queue("hamlet", { event_types: ["message", "stream"], fetch_event_types: ["stream"] })
    await move(server, id, { send_notification_to_old_thread: true, topic: "new", stream_id: den })
    const events = await queue.rest()
    const notice = Object(events.find(({ type }) => type === "message")?.["message"]).id
    const firsts = events.filter(({ property, stream_id }) => property === "first_message_id" && stream_id === lobby)
    t.match(firsts.at(-1), { value: notice })
    t.match(await server.as("hamlet").must.get(`/streams/${lobby}`), { stream: { first_message_id: notice } })
    const later = await server.as("hamlet").send("lobby", "two", { topic: "old" })
    const both = { topic: "new", stream_id: den, propagate_mode: "change_one" }
    await move(server, later, { ...both, send_notification_to_old_thread: true })
    t.match(
      await server.as("hamlet").must.get(`/streams/${lobby}`),
      { stream: { first_message_id: notice } },
      "where messages are left it stays",
    )
  }),
)

t.test("policies of many users go in parts", (t) =>
  withServer(t, { channels }, async (server) => {
    const lobby = channelId(server, "lobby")
    const one = await server.as("hamlet").send("lobby", "one", { topic: "old" })
    await follow(server, "old")
    await move(server, one, { topic: "new" })
    const rows = await server.rows("select topic, count(*)::integer as n from user_topic group by topic order by topic")
    t.match(rows, [{ topic: "new" }], "of who has no account to read it with, nothing is left")
    t.same(await policiesOf(server, "hamlet"), [[lobby, "new", 3]])
    t.same(await server.rows("select id from unfinished_work"), [])
  }),
)
