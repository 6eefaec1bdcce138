/**
 * Who may read a channel changes though nobody comes or goes: clients that lose messages are told that they are deleted,
 * those that have them again what is starred, and those that get a history of a move that has brought it.
 */
import t, { type Test } from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { numbersIn } from "../../../kit/client-sections.ts"
import type { ReadEvent } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn, some } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "desdemona", "polonius"] },
  { name: "den", users: ["cordelia", "desdemona"], isPrivate: true, historyShared: true },
] as const

const change = (server: TestServer, name: string, fields: Fields) =>
  server.as("desdemona").must.patch(`/streams/${channelId(server, name)}`, fields)
const leave = (server: TestServer, who: Name, name: string) =>
  server.as(who).must.delete("/users/me/subscriptions", { subscriptions: [name] })
const add = (server: TestServer, who: Name, name: string) =>
  server.as("cordelia").must.post("/users/me/subscriptions", {
    subscriptions: [{ name }],
    principals: [server.idOf(who)],
    send_new_subscription_messages: false,
  })
const star = (server: TestServer, who: Name, ...messages: ReadonlyArray<number>) =>
  server.as(who).must.post("/messages/flags", { messages, op: "add", flag: "starred" })
const starredOf = async (server: TestServer, who: Name): Promise<ReadonlyArray<number>> =>
  numbersIn((await server.as(who).must.post("/register", { event_types: ["starred_messages"] }))["starred_messages"])

/** What events say of messages, in short. */
const gist = (event: ReadEvent): string | undefined => {
  const { type, op, message_ids, messages, topic, subject, orig_subject, flag } = event
  if (type === "delete_message") return `loses ${message_ids} of ${topic}`
  if (type === "update_message_flags") return `${op} ${flag} ${messages}`
  return type === "update_message" ? `gets ${message_ids} from ${orig_subject} in ${subject}` : undefined
}

type Told = Readonly<Partial<Record<Name, ReadonlyArray<string>>>>
const watching: ReadonlyArray<Name> = ["hamlet", "cordelia", "othello", "polonius", "iago", "shiva"]

/** Does something; compares what everybody is told of messages, live and, of a third of them in the quick run, from the log. */
const tells = async (
  t: Test,
  server: TestServer,
  what: string,
  act: () => Promise<unknown>,
  expected: Told,
): Promise<void> => {
  // All events, and nothing else of the state.
  const fields = {
    fetch_event_types: ["message"],
    client_capabilities: { bulk_message_deletion: true, empty_topic_name: true },
  }
  const open = (names: ReadonlyArray<Name>) =>
    Promise.all(names.map(async (name) => [name, await server.queue(name, fields)] as const))
  const [live, late] = [await open(watching), await open(some([...watching], 3, what))]
  await act()
  const gists = (events: ReadonlyArray<ReadEvent>) => events.flatMap((event) => gist(event) ?? [])
  for (const [name, queue] of live) t.same(gists(await queue.rest()), expected[name] ?? [], `${what}: ${name}`)
  await server.restart()
  for (const [name, queue] of late)
    t.same(gists(await server.resume(name, queue).rest()), expected[name] ?? [], `${what}: ${name}, from the log`)
}

const isReadBy = async (server: TestServer, who: Name, message: number): Promise<boolean> =>
  (await server.as(who).get(`/messages/${message}`)).status === 200

t.test("a public channel becomes private, and public again", (t) =>
  withServer(t, { channels }, async (server) => {
    const [first, second] = [
      await server.as("cordelia").send("lobby", "one", { topic: "a" }),
      await server.as("cordelia").send("lobby", "two", { topic: "b" }),
    ]
    await star(server, "hamlet", second)
    await leave(server, "hamlet", "lobby")
    await leave(server, "polonius", "lobby")
    const third = await server.as("cordelia").send("lobby", "three", { topic: "b" })
    // Two who hold messages though they were never there; one of them by a reaction.
    await star(server, "othello", third)
    await server.as("iago").must.post(`/messages/${first}/reactions`, { emoji_name: "tada" })
    for (const history_public_to_subscribers of [true, false]) {
      const close = () => change(server, "lobby", { is_private: true, history_public_to_subscribers })
      await tells(t, server, "private", close, {
        hamlet: [`loses ${first} of a`, `loses ${second} of b`],
        polonius: [`loses ${first} of a`, `loses ${second} of b`],
        othello: [`loses ${third} of b`],
        iago: [`loses ${first} of a`],
      })
      for (const name of ["hamlet", "othello"] as const) t.same(await starredOf(server, name), [], name)
      await tells(t, server, "public", () => change(server, "lobby", { is_private: false }), {
        hamlet: [`add starred ${second}`],
        othello: [`add starred ${third}`],
      })
      t.same([await starredOf(server, "hamlet"), await starredOf(server, "othello")], [[second], [third]])
      t.ok(await isReadBy(server, "polonius", first), "a guest has what they held")
    }
  }),
)

t.test("a shared history becomes protected, and shared again", inTurn(2, "protected histories"), (t) =>
  withServer(t, { channels }, async (server) => {
    const [first, second, third] = [
      await server.as("cordelia").send("den", "one", { topic: "a" }),
      await server.as("cordelia").send("den", "two", { topic: "" }),
      await server.as("cordelia").send("den", "three", { topic: "a" }),
    ]
    await add(server, "hamlet", "den")
    await star(server, "hamlet", third)
    const last = await server.as("cordelia").send("den", "four", { topic: "a" })
    await add(server, "othello", "den")
    await tells(t, server, "protected", () => change(server, "den", { history_public_to_subscribers: false }), {
      // Some are of both, and some of one: a row for each set.
      hamlet: [`loses ${first} of a`, `loses ${second} of `],
      othello: [`loses ${first} of a`, `loses ${second} of `, `loses ${third},${last} of a`],
    }).catch((error: unknown) => t.fail(String(error)))
    t.notOk(await isReadBy(server, "hamlet", first))
    t.ok(await isReadBy(server, "hamlet", third))
    await tells(t, server, "shared", () => change(server, "den", { history_public_to_subscribers: true }), {
      hamlet: [`gets ${first} from (no topic) in a`, `gets ${second} from (no topic) in `],
      othello: [
        `gets ${first} from (no topic) in a`,
        `gets ${second} from (no topic) in `,
        `gets ${third},${last} from (no topic) in a`,
      ],
    })
    t.ok(await isReadBy(server, "othello", last))
  }),
)

t.test("what an arrival says", inTurn(2, "what an arrival says"), (t) =>
  withServer(t, { channels }, async (server) => {
    await server
      .as("desdemona")
      .must.post("/realm/filters", { pattern: "#(?P<id>[0-9]+)", url_template: "https://far.example/{id}" })
    const id = await server.as("cordelia").send("den", "one", { topic: "about #12" })
    await change(server, "den", { history_public_to_subscribers: false })
    await add(server, "hamlet", "den")
    const queue = await server.queue("hamlet", { event_types: ["update_message"] })
    await change(server, "den", { history_public_to_subscribers: true })
    const den = channelId(server, "den")
    t.match(await queue.rest(), [
      {
        type: "update_message",
        user_id: server.idOf("desdemona"),
        message_id: id,
        message_ids: [id],
        flags: ["read", "historical"],
        stream_id: den,
        new_stream_id: den,
        orig_subject: "(no topic)",
        subject: "about #12",
        topic_links: [{ text: "#12", url: "https://far.example/12" }],
        rendering_only: false,
      },
    ])
  }),
)

const holders = (server: TestServer, ...names: ReadonlyArray<Name>) => ({
  can_subscribe_group: { new: { direct_members: names.map(server.idOf), direct_subgroups: [] } },
})

t.test("a group reads a private channel, and does no more", inTurn(2, "groups that read"), (t) =>
  withServer(t, { channels }, async (server) => {
    const [first, second] = [
      await server.as("cordelia").send("den", "one", { topic: "a" }),
      await server.as("cordelia").send("den", "two", { topic: "a" }),
    ]
    await change(server, "den", holders(server, "hamlet", "othello"))
    await star(server, "hamlet", second)
    const isLost = { hamlet: [`loses ${second} of a`] }
    const isBack = { hamlet: [`add starred ${second}`] }
    await tells(t, server, "the permission", () => change(server, "den", holders(server, "cordelia")), isLost)
    t.notOk(await isReadBy(server, "hamlet", first))
    await tells(t, server, "the permission again", () => change(server, "den", holders(server, "hamlet")), isBack)
    await server.as("desdemona").must.post("/user_groups/create", {
      name: "readers",
      description: "",
      members: [server.idOf("hamlet")],
    })
    const groups = recordsIn((await server.as("desdemona").must.get("/user_groups"))["user_groups"])
    const group = Number(groups.find(({ name }) => name === "readers")?.["id"])
    await tells(t, server, "a group", () => change(server, "den", { can_subscribe_group: { new: group } }), {})
    const members = (fields: Fields) => server.as("desdemona").must.post(`/user_groups/${group}/members`, fields)
    await tells(t, server, "a member goes", () => members({ delete: [server.idOf("hamlet")] }), isLost)
    await tells(t, server, "a member comes", () => members({ add: [server.idOf("hamlet")] }), isBack)
    await tells(t, server, "protected", () => change(server, "den", { history_public_to_subscribers: false }), isLost)
    await tells(t, server, "shared", () => change(server, "den", { history_public_to_subscribers: true }), isBack)
    await add(server, "hamlet", "den")
    await tells(t, server, "they leave, and may read it all the same", () => leave(server, "hamlet", "den"), {
      hamlet: [`add starred ${second}`],
    })
  }),
)

t.test(
  "a role reads a private channel, and does no more",
  inTurn(2, "a role reads a private channel, and does no more"),
  (t) =>
    withServer(t, { channels }, async (server) => {
      const id = await server.as("cordelia").send("den", "one", { topic: "a" })
      await change(server, "den", { can_subscribe_group: { new: systemGroups["role:moderators"] } })
      const readable = await isReadBy(server, "shiva", id)
      t.ok(readable, "moderators read it")
      await star(server, "shiva", id)
      const become = (role: number) => server.as("desdemona").must.patch(`/users/${server.idOf("shiva")}`, { role })
      await tells(t, server, "a member", () => become(400), { shiva: [`loses ${id} of a`] })
      await tells(t, server, "a moderator", () => become(300), { shiva: [`add starred ${id}`] })
    }),
)

t.test("of more than 500 messages nobody is told: their queues end", inTurn(2, "too many lost messages"), (t) =>
  withServer(t, { channels }, async (server) => {
    const numbers = Array.from({ length: 501 }, (_, n) => `${n}`)
    await Promise.all(numbers.map((text) => server.as("cordelia").send("lobby", text, { topic: "a" })))
    await leave(server, "hamlet", "lobby")
    const [gone, kept] = [await server.queue("hamlet"), await server.queue("cordelia")]
    await change(server, "lobby", { is_private: true })
    const asked = { queue_id: gone.queueId, last_event_id: -1, dont_block: true }
    t.match((await server.as("hamlet").get("/events", asked)).body, { code: "BAD_EVENT_QUEUE_ID" })
    t.same(
      (await kept.rest()).filter(({ type }) => type === "delete_message"),
      [],
      "who stays goes on",
    )
  }),
)

t.test(
  "what people kept of messages that went to another channel goes with their access to that",
  inTurn(2, "kept messages"),
  (t) => {
    const hall = { name: "hall", users: ["cordelia", "desdemona"] } as const
    return withServer(t, { channels: [...channels, hall] }, async (server) => {
      const goes = async (text: string) => {
        const id = await server.as("cordelia").send("lobby", text, { topic: "t" })
        await server.as("desdemona").must.patch(`/messages/${id}`, {
          stream_id: channelId(server, "hall"),
          send_notification_to_new_thread: false,
        })
        return id
      }
      const edits = (id: number, content: string) => () =>
        server.as("cordelia").must.patch(`/messages/${id}`, { content })
      const turns = (who: Name, role: number) => () =>
        server.as("desdemona").must.patch(`/users/${server.idOf(who)}`, { role })
      const inHall = (id: number) => ({ cordelia: [`gets ${id} from undefined in undefined`] })
      const kept = (id: number) => ({ hamlet: inHall(id).cordelia, ...inHall(id) })

      const first = await goes("one")
      await tells(t, server, "kept", edits(first, "one, kept"), kept(first))
      const close = () => change(server, "hall", { is_private: true })
      await tells(t, server, "private", close, { hamlet: [`loses ${first} of t`] })
      t.notOk(await isReadBy(server, "hamlet", first))
      await tells(t, server, "public", () => change(server, "hall", { is_private: false }), {})
      await tells(t, server, "kept no more", edits(first, "one, lost"), inHall(first))

      const second = await goes("two")
      await tells(t, server, "kept since", edits(second, "two, kept"), kept(second))
      await tells(t, server, "a guest", turns("hamlet", 600), { hamlet: [`loses ${second} of t`] })
      t.notOk(await isReadBy(server, "hamlet", second))
      await tells(t, server, "a member again", turns("hamlet", 400), {})
      await tells(t, server, "not kept by who was a guest", edits(second, "two, lost"), inHall(second))

      await server.as("desdemona").must.patch("/realm", { enable_spectator_access: true })
      await change(server, "hall", { is_private: false, is_web_public: true, history_public_to_subscribers: true })
      const third = await goes("three")
      const byGuests = { ...kept(third), polonius: inHall(third).cordelia }
      await tells(t, server, "kept by guests", edits(third, "three, kept"), byGuests)
      await tells(
        t,
        server,
        "not for guests",
        () => change(server, "hall", { is_private: false, is_web_public: false, history_public_to_subscribers: true }),
        {
          polonius: [`loses ${third} of t`],
        },
      )
      await change(server, "hall", { is_private: false, is_web_public: true, history_public_to_subscribers: true })
      await tells(t, server, "kept by guests no more", edits(third, "three, lost"), kept(third))

      const fourth = await goes("four")
      await change(server, "hall", { is_private: true, is_web_public: false })
      await change(server, "hall", { is_private: false })
      await server.as("desdemona").must.patch(`/messages/${fourth}`, { topic: "u" })
      await server.as("cordelia").must.post("/users/me/subscriptions", { subscriptions: [{ name: "yard" }] })
      const yard = { stream_id: channelId(server, "yard"), send_notification_to_new_thread: false }
      await server.as("desdemona").must.patch(`/messages/${fourth}`, yard)
      await tells(t, server, "nor where it goes then", edits(fourth, "four, lost"), {
        cordelia: [`gets ${fourth} from undefined in undefined`],
      })

      await change(server, "hall", { is_private: false, is_web_public: true, history_public_to_subscribers: true })
      const fifth = await goes("five")
      const onward = () => server.as("desdemona").must.patch(`/messages/${fifth}`, yard)
      await tells(t, server, "on to where guests do not read", onward, {
        polonius: [`loses ${fifth} of t`],
        hamlet: [`gets ${fifth} from t in undefined`],
        cordelia: [`gets ${fifth} from t in undefined`],
      })
      const open = { is_private: false, is_web_public: true, history_public_to_subscribers: true }
      await change(server, "yard", open)
      await tells(t, server, "which guests have lost", edits(fifth, "five, lost"), kept(fifth))
    })
  },
)

t.test(
  "what is too much to tell of ends the queues of those concerned, and theirs alone",
  inTurn(2, "what is too much to tell of ends the queues of those concerned, and theirs alone"),
  (t) => {
    const [hall, yard] = [
      { name: "hall", users: ["hamlet", "cordelia", "desdemona"] },
      { name: "yard", users: ["cordelia", "desdemona"] },
    ] as const
    return withServer(t, { channels: [...channels, hall, yard] }, async (server) => {
      /** So few that each of them is reached: messages that are named, and pairs that are looked at. */
      const limit = (messages: number, pairs: number) =>
        server.rows(`create or replace function access_limits_v1(out messages integer, out pairs integer)
        language sql immutable as $$ select ${messages}, ${pairs} $$`)
      const post = async (name: string, count: number) => {
        const ids: Array<number> = []
        for (let n = 0; n < count; n++) ids.push(await server.as("cordelia").send(name, `${n}`, { topic: "t" }))
        return ids
      }
      /** Who was told of how many messages; null: whose queue is gone. */
      const outcome = async (act: () => Promise<unknown>) => {
        const names = ["hamlet", "othello", "cordelia"] as const
        const client_capabilities = { bulk_message_deletion: true, empty_topic_name: true }
        const fields = { fetch_event_types: ["message"], client_capabilities }
        const queues = await Promise.all(names.map((name) => server.queue(name, fields)))
        await act()
        const told = names.map(async (name, n) => {
          const { body } = await server.as(name).get("/events", {
            queue_id: queues[n]?.queueId,
            last_event_id: queues[n]?.lastId,
            dont_block: true,
          })
          if (body["code"] === "BAD_EVENT_QUEUE_ID") return null
          return recordsIn(body["events"]).flatMap((event) =>
            event["type"] === "delete_message" ? numbersIn(event["message_ids"]) : [],
          ).length
        })
        return Promise.all(told)
      }
      const close = (name: string) => () => change(server, name, { is_private: true })
      const reopen = (name: string) => change(server, name, { is_private: false })

      const ids = await post("hall", 3)
      await leave(server, "hamlet", "hall")
      t.same(await outcome(close("hall")), [3, 0, 0], "few enough")
      await reopen("hall")
      await limit(2, 5000)
      t.same(await outcome(close("hall")), [null, 0, 0], "messages that a row would name")
      await limit(500, 5000)
      await reopen("hall")
      await limit(500, 2)
      t.same(await outcome(close("hall")), [null, null, 0], "so many in the channel that nobody is looked for")
      await limit(500, 5000)
      await reopen("hall")

      // More rows of hamlet's own than may be looked at.
      await add(server, "hamlet", "den")
      await change(server, "den", holders(server, "othello"))
      const own = await post("lobby", 9)
      await star(server, "hamlet", ...own)
      await limit(500, 2)
      await change(server, "den", holders(server, "hamlet"))
      await leave(server, "hamlet", "den")
      t.same(await outcome(() => change(server, "den", holders(server))), [null, 0, 0], "rows of their own")

      // What hamlet kept, when the channel to which it went closes: an end of kept places, however large the channel is.
      await limit(500, 5000)
      const lobby = await post("lobby", 3)
      const go = (name: string) =>
        server.as("desdemona").must.patch(`/messages/${lobby[0]}`, {
          stream_id: channelId(server, name),
          propagate_mode: "change_later",
          send_notification_to_new_thread: false,
        })
      await go("yard")
      await limit(500, 2)
      t.same(await outcome(close("yard")), [null, null, 0], "many messages that some kept")
      await limit(500, 5000)
      await reopen("yard")
      const last = lobby[2] ?? 0
      const edit = () => server.as("cordelia").must.patch(`/messages/${last}`, { content: "edited" })
      await tells(t, server, "kept no more", edit, { cordelia: [`gets ${last} from undefined in undefined`] })
      t.equal(ids.length, 3)
    })
  },
)
