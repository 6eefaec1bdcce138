/** The message event: its form for each kind of client, its receivers, and the local echo of the sending queue. */
import { createHash } from "node:crypto"
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import type { ReadEvent, Reader } from "../../../kit/reader.ts"
import { pluck, recordsIn } from "../../../kit/records.ts"
import { type ChannelSetup, type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia"] },
  { name: "leads", users: ["desdemona", "hamlet"], isPrivate: true },
  { name: "square", users: ["hamlet"], isWebPublic: true },
  { name: "guests", users: ["polonius", "hamlet"] },
]

const messageOf = (event: ReadEvent | undefined): Fields => {
  const [message] = recordsIn([event?.["message"]])
  if (message === undefined) throw new Error("no message")
  return message
}

/** Messages that came, by content; nothing more may come without one being sent. */
const contents = async (reader: Reader): Promise<ReadonlyArray<unknown>> =>
  (await reader.rest()).filter((event) => event.type === "message").map((event) => messageOf(event)["content"])

const toLobby = { type: "channel", to: "lobby", topic: "t" }

const send = async (server: TestServer, name: Name, fields: Fields): Promise<number> =>
  Number((await server.as(name).must.post("/messages", fields))["id"])

const keys = [
  "avatar_url",
  "client",
  "content",
  "content_type",
  "display_recipient",
  "id",
  "is_me_message",
  "reactions",
  "recipient_id",
  "sender_email",
  "sender_full_name",
  "sender_id",
  "sender_realm_str",
  "stream_id",
  "subject",
  "submessages",
  "timestamp",
  "topic_links",
  "type",
]

t.test("the form of the event depends on how the client registered", (t) =>
  withServer(t, { channels, config: { gravatar: true } }, async (server) => {
    const hash = createHash("md5").update("hamlet@test.example").digest("hex")
    const clients: ReadonlyArray<{
      readonly register: Fields
      readonly message: Fields
      readonly gravatar: RegExp | null
    }> = [
      {
        register: {},
        message: { content: "/me is *here* & now", content_type: "text/x-markdown", subject: "general chat" },
        gravatar: null,
      },
      {
        register: { apply_markdown: true, client_gravatar: false },
        message: {
          content: "<p>/me is <em>here</em> &amp; now</p>",
          content_type: "text/html",
          subject: "general chat",
        },
        gravatar: new RegExp(`^https://.*/avatar/${hash}\\?`),
      },
      {
        register: { client_capabilities: { empty_topic_name: true } },
        message: { content: "/me is *here* & now", content_type: "text/x-markdown", subject: "" },
        gravatar: null,
      },
    ]
    const readers = await Promise.all(clients.map(({ register }) => server.queue("cordelia", register)))
    const id = await send(server, "hamlet", { ...toLobby, topic: "", content: "/me is *here* & now" })
    const lobby = server.realm.realm.findChannelByName("lobby")
    for (const [index, client] of clients.entries()) {
      const event = await readers[index]?.until(({ type }) => type === "message")
      const message = messageOf(event)
      t.same(Object.keys(message).sort(), keys, "all keys and no others")
      t.same(event?.["flags"], [])
      t.match(message, {
        ...client.message,
        id,
        type: "stream",
        stream_id: lobby?.id,
        display_recipient: "lobby",
        sender_id: server.idOf("hamlet"),
        sender_email: "hamlet@test.example",
        sender_full_name: "hamlet",
        is_me_message: true,
        timestamp: Math.floor(server.clock.now() / 1000),
        reactions: [],
        submessages: [],
        topic_links: [],
      })
      t.match(message["avatar_url"], client.gravatar, "avatars are left to those who hash addresses themselves")
    }
    t.equal(new Set(readers.map((reader) => reader.events.find(({ type }) => type === "message")?.id)).size, 1)
  }),
)

t.test("a message has the same fields in its event and in GET /messages, and its conversation one recipient_id", (t) =>
  withServer(t, { channels }, async (server) => {
    const { hamlet, cordelia, iago } = {
      hamlet: server.idOf("hamlet"),
      cordelia: server.idOf("cordelia"),
      iago: server.idOf("iago"),
    }
    const conversations: ReadonlyArray<ReadonlyArray<readonly [Name, Fields]>> = [
      [
        ["hamlet", { ...toLobby, content: "one\ntwo" }],
        ["cordelia", { ...toLobby, topic: "another", content: "https://example.org/x" }],
      ],
      [["hamlet", { type: "channel", to: "leads", topic: "", content: "private" }]],
      [["hamlet", { type: "direct", to: [hamlet], content: "note to self" }]],
      [
        ["hamlet", { type: "direct", to: [cordelia], content: "a pair" }],
        ["cordelia", { type: "private", to: "hamlet@test.example", content: "the same pair" }],
      ],
      [
        ["hamlet", { type: "direct", to: [cordelia, iago], content: "a group" }],
        ["iago", { type: "direct", to: [cordelia, hamlet, iago], content: "the same group" }],
      ],
    ]
    for (const rendered of [true, false]) {
      const reader = await server.queue("hamlet", { apply_markdown: rendered, event_types: ["message"] })
      const recipients = new Set<unknown>()
      for (const sends of conversations) {
        const known = new Set<unknown>()
        for (const [name, fields] of sends) {
          const id = await send(server, name, fields)
          const [event] = await reader.take(1)
          const message: Fields = { ...messageOf(event), flags: event?.["flags"] }
          const look = { apply_markdown: rendered, client_gravatar: true }
          const { message: single } = await server.as("hamlet").must.get(`/messages/${id}`, look)
          const { messages } = await server
            .as("hamlet")
            .must.get("/messages", { ...look, anchor: id, num_before: 0, num_after: 0 })
          t.same(single, message, `${fields["content"]}: alike in GET /messages/{id}`)
          t.same(messages, [message], "alike in GET /messages")
          known.add(message["recipient_id"])
        }
        t.equal(known.size, 1, "one recipient for one conversation")
        for (const recipient of known) recipients.add(recipient)
      }
      t.equal(recipients.size, conversations.length, "another for each other conversation")
    }
    const { messages } = await server
      .as("hamlet")
      .must.get("/messages", { anchor: "oldest", num_before: 0, num_after: 100, narrow: [["is", "dm"]] })
    t.same(
      recordsIn(messages)
        .slice(0, 5)
        .map((each) => pluck(each["display_recipient"], "id")),
      [
        [hamlet],
        [hamlet, cordelia].sort((a, b) => a - b),
        [hamlet, cordelia].sort((a, b) => a - b),
        [hamlet, cordelia, iago].sort((a, b) => a - b),
        [hamlet, cordelia, iago].sort((a, b) => a - b),
      ],
      "a direct message lists its people once, reader and sender among them",
    )
  }),
)

t.test("who receives a message", (t) =>
  withServer(t, { channels }, async (server) => {
    const narrow = (...terms: ReadonlyArray<readonly [string, string]>) => ({ narrow: terms })
    const all = { all_public_streams: true }
    const sends = [
      { content: "lobby by hamlet", by: "hamlet", fields: toLobby },
      { content: "lobby by a stranger", by: "othello", fields: { ...toLobby, topic: "Other" } },
      { content: "leads", by: "hamlet", fields: { ...toLobby, to: "leads" } },
      { content: "square", by: "hamlet", fields: { ...toLobby, to: "square" } },
      { content: "guests", by: "hamlet", fields: { ...toLobby, to: "guests" } },
      { content: "pair", by: "hamlet", fields: { type: "direct", to: "cordelia@test.example" } },
      { content: "group", by: "hamlet", fields: { type: "direct", to: "cordelia@test.example,polonius@test.example" } },
    ] as const
    const lobby = ["lobby by hamlet", "lobby by a stranger"]
    const open = [...lobby, "square", "guests"]
    const queues: ReadonlyArray<readonly [Name, Fields, ReadonlyArray<string>]> = [
      ["hamlet", {}, [...lobby, "leads", "square", "guests", "pair", "group"]],
      ["cordelia", {}, [...lobby, "pair", "group"]],
      ["desdemona", {}, ["leads"]],
      ["othello", {}, []],
      ["iago", {}, []],
      ["polonius", {}, ["guests", "group"]],
      ["othello", all, open],
      ["iago", all, open],
      ["hamlet", all, [...open, "leads", "pair", "group"]],
      ["othello", narrow(["stream", "LOBBY"]), lobby],
      ["othello", narrow(["channel", "lobby"], ["topic", "other"]), ["lobby by a stranger"]],
      ["othello", narrow(["stream", "leads"]), []],
      ["othello", narrow(["sender", "Othello@test.example"]), ["lobby by a stranger"]],
      ["hamlet", narrow(["is", "dm"]), ["pair", "group"]],
      ["cordelia", narrow(["is", "private"]), ["pair", "group"]],
      ["cordelia", narrow(["sender", "hamlet@test.example"], ["stream", "lobby"]), ["lobby by hamlet"]],
      ["hamlet", narrow(["is", "unread"]), [...open, "leads", "pair", "group"]],
      ["hamlet", narrow(["is", "mentioned"]), []],
      ["polonius", narrow(["stream", "lobby"]), []],
      ["polonius", narrow(["stream", "guests"]), ["guests"]],
      ["hamlet", narrow(["stream", ""]), []],
      ["hamlet", { event_types: ["typing"] }, []],
      ["hamlet", { event_types: [] }, []],
    ]
    const readers: Array<Reader> = []
    for (const [name, fields] of queues) {
      const reader = await server.queue(name, fields)
      t.same(await reader.poll(false), [], "live from here on")
      readers.push(reader)
    }
    for (const { content, by, fields } of sends) await send(server, by, { ...fields, content })

    const check = async (how: string) => {
      for (const [index, [name, fields, expected]] of queues.entries()) {
        const reader = readers[index]
        if (reader === undefined) return t.fail("a queue is missing")
        t.same([...(await contents(reader))].sort(), [...expected].sort(), `${how}: ${name} ${JSON.stringify(fields)}`)
        reader.rewind(Number(reader.state["last_event_id"]))
      }
    }
    await check("as they came")
    await check("replayed from memory")
    await server.restart()
    for (const [index, [name]] of queues.entries()) {
      const reader = readers[index]
      if (reader !== undefined) readers[index] = server.resume(name, reader)
    }
    await check("replayed after a restart")
  }),
)

t.test("6.3: a message received by all_public_streams alone has no flags, live and replayed", (t) =>
  withServer(t, { channels }, async (server) => {
    const all = { event_types: ["message"], all_public_streams: true }
    const narrowed = { event_types: ["message"], narrow: [["stream", "lobby"]] }
    const queues: ReadonlyArray<readonly [Name, Fields, ReadonlyArray<string>]> = [
      ["hamlet", all, ["has_alert_word"]],
      ["othello", all, []],
      ["cordelia", narrowed, ["has_alert_word"]],
      ["iago", narrowed, []],
      ["shiva", all, []],
    ]
    for (const name of ["hamlet", "cordelia", "othello"] as const)
      await server.as(name).must.post("/users/me/alert_words", { alert_words: ["c"] })
    const readers: Array<Reader> = []
    for (const [name, fields] of queues) readers.push(await server.queue(name, fields))
    for (const reader of readers) t.same(await reader.poll(false), [], "live from here on")
    const sender = 1
    const own = readers[sender]
    const before = server.realm.encoder.encodes()
    const id = await send(server, "othello", { ...toLobby, content: "c", queue_id: own?.queueId, local_id: "1" })
    t.equal(server.realm.encoder.encodes() - before, 3, "for subscribers, for all_public_streams, and for the echo")
    const check = async (how: string) => {
      for (const [index, [name, fields, flags]] of queues.entries()) {
        const reader = readers[index]
        if (reader === undefined) return t.fail("a queue is missing")
        const [event] = await reader.take(1)
        t.match(event, { message: { id } })
        t.same(event?.["flags"], flags, `${how}: ${name} ${JSON.stringify(fields)}`)
        t.equal(event?.["local_id"], index === sender ? "1" : undefined)
        reader.rewind(Number(reader.state["last_event_id"]))
      }
    }
    await check("as it came")
    await check("replayed from memory")
    await server.restart()
    for (const [index, [name]] of queues.entries()) {
      const reader = readers[index]
      if (reader !== undefined) readers[index] = server.resume(name, reader)
    }
    await check("replayed after a restart")
  }),
)

t.test("I9, 6.9: the sending queue gets the local id back, and a retry gets the first answer", (t) =>
  withServer(t, { channels }, async (server) => {
    const own = await server.queue("hamlet", { event_types: ["message"] })
    const other = await server.queue("hamlet", { event_types: ["message"] })
    const peer = await server.queue("cordelia", { event_types: ["message"] })
    const echo = { ...toLobby, content: "c", queue_id: own.queueId, local_id: "17.05 é" }
    const id = await send(server, "hamlet", echo)
    const [mine] = await own.take(1)
    t.match(mine, { local_message_id: "17.05 é", local_id: "17.05 é", message: { id } })
    for (const reader of [other, peer]) {
      const [event] = await reader.take(1)
      t.match(event, { message: { id } })
      t.notOk(event !== undefined && ("local_message_id" in event || "local_id" in event), "no echo elsewhere")
    }
    t.equal(await send(server, "hamlet", echo), id, "the same send again is the same message")
    const changed = await server.as("hamlet").post("/messages", { ...echo, content: "d" })
    t.match(changed, { status: 400, body: { code: "BAD_REQUEST", msg: /local_id/ } })
    t.not(await send(server, "cordelia", echo), id, "another person's ids are their own")
    for (const reader of [own, other, peer]) {
      const [event] = await reader.take(1)
      t.notOk(event !== undefined && "local_message_id" in event, "a queue of somebody else's is no place for an echo")
    }
    const blank = { ...toLobby, content: "c", queue_id: "", local_id: "" }
    t.not(await send(server, "hamlet", blank), await send(server, "hamlet", blank), "empty ids are no ids")
  }),
)

t.test("everybody who may see a channel is told about its first message", (t) =>
  withServer(t, { channels }, async (server) => {
    const watching = ["othello", "iago", "cordelia", "polonius"] as const
    const readers = new Map<Name, Reader>()
    for (const name of watching) readers.set(name, await server.queue(name, { event_types: ["stream"] }))
    const first = await send(server, "hamlet", { ...toLobby, content: "c" })
    await send(server, "hamlet", { ...toLobby, content: "c" })
    const secret = await send(server, "hamlet", { ...toLobby, to: "leads", content: "c" })
    const update = (name: string, value: number) => ({
      op: "update",
      property: "first_message_id",
      name,
      value,
      stream_id: server.realm.realm.findChannelByName(name)?.id,
    })
    const expected = new Map<Name, ReadonlyArray<Fields>>([
      ["othello", [update("lobby", first)]],
      ["cordelia", [update("lobby", first)]],
      ["iago", [update("lobby", first), update("leads", secret)]],
      ["polonius", []],
    ])
    for (const [name, reader] of readers) {
      const events = await reader.rest()
      t.equal(events.length, expected.get(name)?.length, `${name}: ${JSON.stringify(events)}`)
      t.match(events, [...(expected.get(name) ?? [])])
    }
    const { streams } = await server.as("iago").must.get("/streams", { include_all: true })
    t.match(streams, [{ name: "guests", first_message_id: null }, {}, { name: "lobby", first_message_id: first }, {}])
  }),
)
