/** Register, the polls of a queue in all their rows (contract 3.2-3.4), and typing (contract 2.2). */
import t, { type Test } from "tap"
import type { Answer, Fields } from "../../kit/client.ts"
import type { Reader } from "../../kit/reader.ts"
import { pluck } from "../../kit/records.ts"
import { type Refusal, refuses } from "../../kit/refusals.ts"
import { until } from "../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia"] } as const

/** A poll by its parameters, whatever it answers. */
const poll = (server: TestServer, name: Name, fields: Fields): Promise<Answer> => server.as(name).get("/events", fields)

const held = (server: TestServer, count: number) =>
  until(`${count} connections are held`, 10_000, () => server.realm.queues.connected().length === count)

const bad = (queueId: string) => ({
  status: 400,
  body: { result: "error", code: "BAD_EVENT_QUEUE_ID", msg: `Bad event queue ID: ${queueId}`, queue_id: queueId },
})

const contents = (answer: Answer): ReadonlyArray<unknown> => pluck(pluck(answer.body["events"], "message"), "content")

t.test("register", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    await t.test("answers what every client needs, and what was asked for", async (t) => {
      const all = await server.as("hamlet").must.post("/register")
      t.match(all, {
        queue_id: /^.+$/,
        last_event_id: /^\d+$/,
        zulip_version: /./,
        zulip_merge_base: /./,
        zulip_feature_level: 417,
        idle_queue_timeout_secs: 600,
        user_id: server.idOf("hamlet"),
        max_message_id: -1,
        streams: [{ name: "lobby" }],
        subscriptions: [{ name: "lobby" }],
      })
      t.equal(Number(all["last_event_id"]) % 65_536, 0, "the last id of a row")
      const always =
        "idle_queue_timeout_secs last_event_id msg queue_id result zulip_feature_level zulip_merge_base zulip_version"
      const keys = async (fields: Fields) =>
        Object.keys(await server.as("hamlet").must.post("/register", fields)).sort()
      t.same(await keys({ event_types: [] }), always.split(" "))
      t.same(await keys({ event_types: ["nothing we know"] }), always.split(" "), "unknown types are no fault")
      t.same(await keys({ fetch_event_types: [] }), always.split(" "))
      t.same(await keys({ event_types: ["message"] }), [...always.split(" "), "max_message_id"].sort())
      t.same(await keys({ event_types: ["message"], fetch_event_types: ["alert_words"] }), [
        "alert_words",
        ...always.split(" "),
      ])
    })

    await t.test("a JSON body that says nothing says nothing", async (t) => {
      const { email, key } = server.as("hamlet").account
      const response = await fetch(`${server.origin}/api/v1/register`, {
        method: "POST",
        headers: {
          Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`,
          "Content-Type": "application/json",
        },
        body: "{}",
      })
      t.match(await response.json(), { result: "success", user_id: server.idOf("hamlet") })
    })

    await t.test("how long a queue may be idle", async (t) => {
      const cases: ReadonlyArray<readonly [Fields, number]> = [
        [{}, 600],
        [{ idle_queue_timeout: 3600 }, 3600],
        [{ idle_queue_timeout: 1 }, 1],
        [{ idle_queue_timeout: "mobile" }, 604_800],
        [{ idle_queue_timeout: '"mobile"' }, 604_800],
        [{ queue_lifespan_secs: 7 }, 7],
      ]
      for (const [fields, seconds] of cases)
        t.match(
          await server.as("hamlet").must.post("/register", fields),
          { idle_queue_timeout_secs: seconds },
          JSON.stringify(fields),
        )
    })

    await t.test("refused", async (t) => {
      const table: ReadonlyArray<Refusal> = [
        { when: "types that are no list", fields: { event_types: "message" }, msg: "event_types is not valid JSON" },
        { when: "types that are no words", fields: { event_types: [1] }, msg: "event_types[0] is not a string" },
        { when: "one type", fields: { fetch_event_types: '"message"' }, msg: "fetch_event_types is not a list" },
        {
          when: "a narrow of objects",
          fields: { narrow: [{ operator: "stream", operand: "x" }] },
          msg: "narrow[0] is not a list",
        },
        { when: "a term of one", fields: { narrow: [["stream"]] }, msg: "narrow[0] is not length 2" },
        { when: "a term with a number", fields: { narrow: [["stream", 1]] }, msg: "narrow[0][1] is not a string" },
        {
          when: "an operator of searches only",
          fields: { narrow: [["has", "link"]] },
          msg: "Operator has not supported.",
        },
        {
          when: "an unknown operator",
          fields: {
            narrow: [
              ["stream", "x"],
              ["colour", "red"],
            ],
          },
          msg: "Operator colour not supported.",
        },
        { when: "an unknown state", fields: { narrow: [["is", "nice"]] }, msg: "Operator is not supported." },
        {
          when: "capabilities that are a list",
          fields: { client_capabilities: [] },
          msg: "client_capabilities is not a dict",
        },
        {
          when: "a capability that is no yes or no",
          fields: { client_capabilities: { a: true, b: 1 } },
          msg: 'client_capabilities["b"] is not a boolean',
        },
        { when: "a word for a switch", fields: { apply_markdown: "True" }, msg: "apply_markdown is not a boolean" },
        {
          when: "some subscribers",
          fields: { include_subscribers: "some" },
          msg: "include_subscribers is not a boolean",
        },
        { when: "no time at all", fields: { idle_queue_timeout: 0 }, msg: "idle_queue_timeout is too small" },
        { when: "more than a week", fields: { idle_queue_timeout: 604_801 }, msg: "idle_queue_timeout is too large" },
        {
          when: "a word for the time",
          fields: { idle_queue_timeout: "long" },
          msg: "idle_queue_timeout is not an integer",
        },
        {
          when: "the time twice",
          fields: { idle_queue_timeout: 5, queue_lifespan_secs: 5 },
          code: "REQUEST_CONFUSING_VAR",
          msg: /idle_queue_timeout.*queue_lifespan_secs/,
        },
      ]
      const before = await server.rows("select from event_queue")
      await refuses(t, table, (fields) => server.as("hamlet").post("/register", fields))
      await refuses(
        t,
        [
          {
            when: "a guest who wants all channels",
            fields: { all_public_streams: true },
            msg: "User not authorized for this query",
          },
        ],
        (fields) => server.as("polonius").post("/register", fields),
      )
      t.equal((await server.rows("select from event_queue")).length, before.length, "no queue was made")
    })
  }),
)

t.test("a queue's polls", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const say = (content: string) => server.as("cordelia").send("lobby", content)
    const types = { event_types: ["message"] }

    await t.test("refused", async (t) => {
      const reader = await server.queue("hamlet", types)
      const queue = { queue_id: reader.queueId, last_event_id: reader.lastId, dont_block: true }
      const table: ReadonlyArray<Refusal> = [
        { when: "no queue", fields: { ...queue, queue_id: undefined }, msg: "Missing 'queue_id' argument" },
        {
          when: "no last event",
          fields: { ...queue, last_event_id: undefined },
          msg: "Missing 'last_event_id' argument",
        },
        {
          when: "a word for the last event",
          fields: { ...queue, last_event_id: "x" },
          msg: "last_event_id is not an integer",
        },
        { when: "a number below all", fields: { ...queue, last_event_id: -2 }, msg: "last_event_id is too small" },
        { when: "a word for dont_block", fields: { ...queue, dont_block: 1 }, msg: "dont_block is not a boolean" },
      ]
      await refuses(t, table, (fields) => poll(server, "hamlet", fields))
      const epoch = reader.queueId.slice(0, -36)
      const ids = [
        "x",
        "",
        `${epoch}00000000-0000-0000-0000-000000000000`,
        reader.queueId.toUpperCase(),
        `${reader.queueId}x`,
      ]
      for (const id of ids)
        t.match(await poll(server, "hamlet", { ...queue, queue_id: id }), bad(id), `the queue ${id}`)
      t.match(await poll(server, "cordelia", queue), bad(reader.queueId), "another person's queue")
      t.match(await poll(server, "iago", queue), bad(reader.queueId), "an administrator's neither")
      t.match(await server.as("cordelia").delete("/events", { queue_id: reader.queueId }), bad(reader.queueId))
      t.equal((await poll(server, "hamlet", queue)).status, 200, "its owner's all the time")
      for (const ahead of [reader.lastId + 65_536, 2 ** 40, Number.MAX_SAFE_INTEGER])
        t.match(
          await poll(server, "hamlet", { ...queue, last_event_id: ahead }),
          bad(reader.queueId),
          `ahead of all: ${ahead}`,
        )
      t.equal((await poll(server, "hamlet", queue)).status, 200)
    })

    await t.test("events come until they are acknowledged, and again from wherever one asks", async (t) => {
      const reader = await server.queue("hamlet", types)
      const start = reader.lastId
      const at = async (last_event_id: number) =>
        poll(server, "hamlet", { queue_id: reader.queueId, last_event_id, dont_block: true })
      t.same((await at(start)).body["events"], [], "nothing yet")
      for (const content of ["one", "two", "three"]) await say(content)
      const first = await at(start)
      t.same(contents(first), ["one", "two", "three"])
      t.same((await at(start)).body, first.body, "the same question has the same answer")
      const [one = 0, two = 0, three = 0] = pluck(first.body["events"], "id").map(Number)
      t.same(contents(await at(two)), ["three"])
      t.same(contents(await at(three)), [])
      t.same(contents(await at(one)), ["two", "three"], "back behind what was acknowledged")
      t.same(contents(await at(start)), ["one", "two", "three"])
      for (const below of [-1, 0, start - 1]) t.same((await at(below)).body, first.body, `below the start: ${below}`)
      t.same(contents(await at(one + 1)), ["two", "three"], "an id between two events")
      await server.restart()
      t.same((await at(start)).body, first.body, "after a restart, too")
      t.same(contents(await at(two)), ["three"])
    })

    await t.test("a poll that waits is answered by the next event", async (t) => {
      const reader = await server.queue("hamlet", types)
      const waiting = reader.poll()
      await held(server, 1)
      const id = await say("at last")
      t.match(await waiting, [{ type: "message", message: { id, content: "at last" } }])
    })

    await t.test("of two polls the newer one waits on", async (t) => {
      const reader = await server.queue("hamlet", types)
      const ask = () => poll(server, "hamlet", { queue_id: reader.queueId, last_event_id: reader.lastId })
      const older = ask()
      await held(server, 1)
      const newer = ask()
      t.match(await older, { status: 200, body: { result: "success", msg: "", events: [] } })
      await say("for the newer")
      t.same(contents(await newer), ["for the newer"])
    })

    await t.test("a client that goes away leaves its queue as it was", async (t) => {
      const reader = await server.queue("hamlet", types)
      const leaving = new AbortController()
      const fields = { queue_id: reader.queueId, last_event_id: reader.lastId }
      const gone = server.as("hamlet").get("/events", fields, leaving.signal)
      await held(server, 1)
      leaving.abort()
      await t.rejects(gone)
      await held(server, 0)
      await say("meanwhile")
      t.match(await reader.take(1), [{ message: { content: "meanwhile" } }])
    })

    await t.test("deleting a queue answers its poll, and is for good", async (t) => {
      const reader = await server.queue("hamlet", types)
      const fields = { queue_id: reader.queueId, last_event_id: reader.lastId }
      const waiting = poll(server, "hamlet", fields)
      await held(server, 1)
      t.match(await server.as("hamlet").delete("/events", { queue_id: reader.queueId }), {
        status: 200,
        body: { result: "success" },
      })
      t.match(await waiting, { status: 200, body: { events: [] } })
      t.match(await poll(server, "hamlet", fields), bad(reader.queueId))
      t.match(await server.as("hamlet").delete("/events", { queue_id: reader.queueId }), bad(reader.queueId))
      const other = await server.queue("hamlet", types)
      const inQuery = await server.as("hamlet").delete(`/events?queue_id=${other.queueId}`)
      t.equal(inQuery.status, 200, "by the query as well")
      await server.restart()
      t.match(
        await poll(server, "hamlet", { ...fields, queue_id: other.queueId }),
        bad(other.queueId),
        "after a restart, too",
      )
    })

    await t.test("a queue whose past the log no longer holds is a bad one", async (t) => {
      const behind = await server.queue("hamlet", types)
      await say("forgotten")
      const ahead = await server.queue("hamlet", types)
      await server.restart()
      await server.rows("delete from log where position < $1::bigint", [Math.floor(ahead.lastId / 65_536)])
      await server.restart()
      await say("kept")
      const again = server.resume("hamlet", ahead)
      t.match(await again.take(1), [{ message: { content: "kept" } }])
      t.match(
        await poll(server, "hamlet", { queue_id: behind.queueId, last_event_id: behind.lastId }),
        bad(behind.queueId),
      )
      t.match(
        await poll(server, "hamlet", { queue_id: behind.queueId, last_event_id: again.lastId }),
        bad(behind.queueId),
        "for good",
      )
    })
  }),
)

t.test("an answer carries so many events and so many bytes; the rest follows", (t) =>
  withServer(t, { channels: [lobby], limits: { pendingEvents: 5, pendingBytes: 4096 } }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    const lengths = [10, 10, 10, 10, 10, 10, 10, 2000, 2000, 2000, 9000, 10, 10]
    for (const [index, length] of lengths.entries())
      await server.as("cordelia").send("lobby", `${index} ${"x".repeat(length)}`)
    for (const how of ["from memory", "after a restart"]) {
      const again = server.resume("hamlet", reader)
      const sizes: Array<number> = []
      while (again.events.length < lengths.length) sizes.push((await again.poll(false)).length)
      t.ok(Math.max(...sizes) <= 5, `${how}: ${sizes}`)
      t.ok(sizes.length > lengths.length / 5, `${how}: large ones are fewer at once: ${sizes}`)
      t.notOk(sizes.includes(0), `${how}: no answer is empty while there is more: ${sizes}`)
      t.same(
        pluck(pluck(again.events, "message"), "content").map((content) => Number.parseInt(String(content), 10)),
        [...lengths.keys()],
        `${how}: all of them, in order`,
      )
      await server.restart()
    }
  }),
)

t.test("a starting server reads back what its memory may hold, however long the messages before that", (t) =>
  withServer(t, { channels: [lobby], limits: { ringBytes: 1024 * 1024 } }, async (server) => {
    const id = await server.as("hamlet").send("lobby", '"'.repeat(9_900))
    const head = server.realm.realm.position
    await server.rows(
      `insert into message
       select realm_id, $1::bigint + n, sender_id, channel_id, $1::bigint + n, topic, conversation_id, content, rendered,
              client, read_by_sender, sent_at
         from message, generate_series(1, 2500) n where id = $2::bigint`,
      [head, id],
    )
    await server.rows(
      `insert into log (realm_id, position, type, payload, audience, message_id, at)
       select realm_id, $1::bigint + n, type, payload, audience, $1::bigint + n, at
         from log, generate_series(1, 2500) n where position = $2::bigint`,
      [head, id],
    )
    const [page] = await server.rows("select log_rows_v1(1, $1, 1000000, 1000, 1000000) as text", [head])
    const { rows }: { readonly rows: ReadonlyArray<unknown> } = JSON.parse(String(page?.["text"]))
    t.ok(rows.length > 5 && rows.length < 50, `${rows.length} rows are a page`)
    await server.restart()
    const { ring } = server.realm
    t.equal(ring.newest?.position, head + 2500, "a starting server has the newest rows in memory")
    t.ok(ring.bytes <= 1024 * 1024 && (ring.oldest ?? 0) > head + 2400, `as many as it may hold: ${ring.bytes} bytes`)
    const all = Math.ceil(2500 / rows.length)
    t.ok(
      server.database.statements() < all / 2,
      `${server.database.statements()} statements; all rows are ${all} pages`,
    )
  }),
)

t.test("a queue and the clock", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const exists = async (reader: Reader) =>
      (await server.rows("select from event_queue where id = $1", [reader.queueId])).length === 1
    const isSwept = async (t: Test, reader: Reader) => {
      await until("the queue is swept", 20_000, async () => {
        server.clock.advance(60_000)
        return !(await exists(reader))
      })
      const fields = { queue_id: reader.queueId, last_event_id: reader.lastId, dont_block: true }
      t.match(await poll(server, "hamlet", fields), bad(reader.queueId))
    }
    /** Time goes by with every sweep done. */
    const idle = async (seconds: number) => {
      for (let left = seconds; left > 0; left -= 60) {
        server.clock.advance(Math.min(left, 60) * 1000)
        await server.run(server.realm.queues.sweep())
      }
    }

    await t.test("heartbeats come after 45 to 55 seconds, with rising ids", async (t) => {
      const readers: Array<Reader> = []
      for (let each = 0; each < 10; each++) readers.push(await server.queue("hamlet", { event_types: [] }))
      let last = 0
      for (const round of ["first", "second"]) {
        const polls = readers.map((reader) => reader.poll())
        await held(server, readers.length)
        server.clock.advance(44_000)
        // Two requests are many turns of the loop: whatever was due has left by then.
        for (const name of ["hamlet", "cordelia"] as const) await server.as(name).must.get("/users/me")
        t.equal(server.realm.queues.connected().length, readers.length, `${round}: none before 45 seconds`)
        server.clock.advance(11_000)
        for (const events of await Promise.all(polls)) {
          t.equal(events.length, 1)
          t.match(events, [{ type: "heartbeat" }])
          t.ok((events[0]?.id ?? 0) > last, `${round}: an id above all that was heard before`)
        }
        last = Math.max(...readers.map((reader) => reader.lastId))
      }
    })

    await t.test("a queue that nobody asks for lives 600 seconds", async (t) => {
      const reader = await server.queue("hamlet")
      await idle(595)
      t.ok(await exists(reader))
      t.same(await reader.poll(false), [])
      await idle(595)
      t.ok(await exists(reader), "from the last time it was asked for")
      await isSwept(t, reader)
    })

    await t.test("a longer one as long as was asked for, in memory or not", async (t) => {
      const reader = await server.queue("hamlet", { idle_queue_timeout: 7200 })
      await idle(3600)
      t.equal(server.realm.queues.size(), 0, "it has left the memory")
      await server.as("cordelia").send("lobby", "while away")
      t.match(await reader.take(1), [{ message: { content: "while away" } }])
      await idle(7100)
      t.ok(await exists(reader))
      await isSwept(t, reader)
    })

    await t.test("time without a server does not count", async (t) => {
      const reader = await server.queue("hamlet")
      await idle(300)
      await server.restart(() => server.clock.advance(24 * 3600_000))
      await idle(240)
      t.ok(await exists(reader))
      t.same(await server.resume("hamlet", reader).poll(false), [])
      await isSwept(t, server.resume("hamlet", reader))
    })
  }),
)

t.test("typing", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
        { name: "crowd", users: ["hamlet", "cordelia", "iago", "shiva"] },
        { name: "leads", users: ["desdemona", "hamlet"], isPrivate: true },
        { name: "strict", users: ["hamlet", "cordelia"] },
      ],
      limits: { typingChannelSubscribers: 3 },
    },
    async (server) => {
      await server.rows("update channel set topics_policy = 'disable_empty_topic' where name = 'strict'")
      await server.rows("update account set bot_owner_id = null")
      await server.restart()
      const id = (name: Name) => server.idOf(name)
      const channel = (name: string) => server.realm.realm.findChannelByName(name)?.id ?? 0
      const able = { event_types: ["typing"], client_capabilities: { stream_typing_notifications: true } }
      /** A live queue: only those hear what is not stored. */
      const live = async (name: Name, fields: Fields = able) => {
        const reader = await server.queue(name, fields)
        await reader.poll(false)
        return reader
      }
      const tell = (name: Name, fields: Fields) => server.as(name).must.post("/typing", fields)

      await t.test("refused", async (t) => {
        const direct = { op: "start", to: [id("cordelia")] }
        const inLobby = { type: "channel", op: "start", stream_id: channel("lobby"), topic: "t" }
        const table: ReadonlyArray<Refusal> = [
          { when: "the old word", fields: { ...direct, type: "private" }, msg: "Invalid type" },
          { when: "an operation of its own", fields: { ...direct, op: "pause" }, msg: "Invalid op" },
          {
            when: "no operation",
            fields: { ...direct, op: undefined },
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'op' argument",
            also: { var_name: "op" },
          },
          { when: "nobody named", fields: { op: "start" }, msg: "Missing 'to' argument" },
          { when: "nobody in the list", fields: { ...direct, to: [] }, msg: "Empty 'to' list" },
          { when: "an address", fields: { ...direct, to: ["cordelia@test.example"] }, msg: "to[0] is not an integer" },
          { when: "one id", fields: { ...direct, to: 5 }, msg: "to is not a list" },
          { when: "an unknown id", fields: { ...direct, to: [4711] }, msg: "Invalid user ID 4711" },
          { when: "no channel", fields: { ...inLobby, stream_id: undefined }, msg: "Missing 'stream_id' argument" },
          { when: "no topic", fields: { ...inLobby, topic: undefined }, msg: "Missing topic" },
          { when: "a name as channel", fields: { ...inLobby, stream_id: "lobby" }, msg: "stream_id is not an integer" },
          {
            when: "an unknown channel",
            fields: { ...inLobby, stream_id: 4711 },
            code: "STREAM_DOES_NOT_EXIST",
            msg: "Channel with ID '4711' does not exist",
            also: { stream_id: 4711 },
          },
          {
            when: "an empty topic where there must be one",
            fields: { ...inLobby, stream_id: channel("strict"), topic: "" },
            msg: /not allowed/,
          },
        ]
        await refuses(t, table, (fields) => server.as("hamlet").post("/typing", fields))
        const hidden = { ...inLobby, stream_id: channel("leads") }
        const unknown = {
          when: "a channel that is hidden",
          fields: hidden,
          code: "STREAM_DOES_NOT_EXIST",
          msg: /does not exist/,
        }
        await refuses(t, [unknown], (fields) => server.as("cordelia").post("/typing", fields))
        t.match(
          await server.as("hamlet").must.post("/typing", { ...direct, stream_id: "x", topic: "\n" }),
          { result: "success" },
          "what is not asked for is not judged",
        )
        t.match(await server.as("hamlet").must.post("/typing", { ...inLobby, to: "x" }), { result: "success" })
        await tell("hamlet", { ...direct, op: "stop" })
        await tell("hamlet", { ...inLobby, op: "stop" })
      })

      await t.test("between people: all of them hear it, the typist too", async (t) => {
        const readers = [await live("hamlet"), await live("cordelia"), await live("iago", { event_types: ["typing"] })]
        const stranger = await live("shiva")
        const sender = { user_id: id("hamlet"), email: "hamlet@test.example" }
        const recipients = [id("hamlet"), id("cordelia"), id("iago")]
          .sort((a, b) => a - b)
          .map((user_id) => ({ user_id }))
        for (const op of ["start", "stop"]) {
          await tell("hamlet", { op, to: [id("cordelia"), id("iago"), id("hamlet")] })
          for (const reader of readers) {
            const events = await reader.take(1)
            t.match(events, [{ type: "typing", op, message_type: "direct", sender, recipients }])
            t.notOk(events[0] !== undefined && "stream_id" in events[0])
          }
        }
        t.same(await stranger.rest(), [])
      })

      await t.test("in a channel: its subscribers whose clients ask for it", async (t) => {
        const plain = await live("cordelia", { event_types: ["typing"] })
        const reader = await live("cordelia")
        const guest = await live("polonius", {
          event_types: ["typing"],
          client_capabilities: { stream_typing_notifications: true, empty_topic_name: true },
        })
        const stranger = await live("iago", { ...able, all_public_streams: true })
        for (const type of ["stream", "channel"]) {
          await tell("hamlet", { type, op: "start", stream_id: channel("lobby"), topic: "(no topic)" })
          const event = {
            type: "typing",
            op: "start",
            message_type: "stream",
            stream_id: channel("lobby"),
            sender: { user_id: id("hamlet") },
          }
          t.match(await reader.take(1), [{ ...event, topic: "general chat" }])
          t.match(await guest.take(1), [{ ...event, topic: "" }])
          await tell("hamlet", { type, op: "stop", stream_id: channel("lobby"), topic: "" })
          t.match(await reader.take(1), [{ op: "stop", topic: "general chat" }])
          t.match(await guest.take(1), [{ op: "stop", topic: "" }])
        }
        t.same(await plain.rest(), [])
        t.same(await stranger.rest(), [])
        await tell("hamlet", { type: "channel", op: "start", stream_id: channel("crowd"), topic: "t" })
        t.same(await reader.rest(), [], "not in a channel with more subscribers than the limit")
      })

      await t.test("who does not want others to know is refused, who does not want to know is left out", async (t) => {
        const direct = { op: "start", to: [id("cordelia")] }
        const inLobby = { type: "channel", op: "start", stream_id: channel("lobby"), topic: "t" }
        const ask = (fields: Fields) => server.as("hamlet").post("/typing", fields)
        const off = (kind: string) => `User has disabled typing notifications for ${kind} messages`
        await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", false)
        await refuses(t, [{ when: "in channels", fields: inLobby, msg: off("channel") }], ask)
        const nowhere = { ...inLobby, stream_id: 4711 }
        await refuses(t, [{ when: "in any channel", fields: nowhere, msg: off("channel") }], ask)
        await tell("hamlet", direct)
        await server.actions.changeUserSetting("hamlet", "send_private_typing_notifications", false)
        await refuses(t, [{ when: "between people", fields: direct, msg: off("direct") }], ask)
        await server.actions.changeUserSetting("hamlet", "send_stream_typing_notifications", true)
        await server.actions.changeUserSetting("hamlet", "send_private_typing_notifications", true)

        await server.actions.changeUserSetting("cordelia", "receives_typing_notifications", false)
        const [deaf, peer] = [await live("cordelia"), await live("polonius")]
        for (const fields of [inLobby, { op: "start", to: [id("cordelia"), id("polonius")] }]) {
          await tell("hamlet", fields)
          await tell("hamlet", { ...fields, op: "stop" })
          t.match(await peer.take(2), [{ op: "start" }, { op: "stop" }])
        }
        t.same(await deaf.rest(), [])
        await server.actions.changeUserSetting("cordelia", "receives_typing_notifications", true)
        await tell("hamlet", inLobby)
        t.match(await deaf.take(1), [{ op: "start" }])
        await tell("hamlet", { ...inLobby, op: "stop" })
        await tell("hamlet", { ...direct, op: "stop" })
      })

      await t.test("an indicator that is not renewed is taken back after 45 seconds", async (t) => {
        const reader = await live("cordelia")
        const start = () => tell("hamlet", { op: "start", to: [id("cordelia")] })
        await start()
        t.match(await reader.take(1), [{ op: "start" }])
        server.clock.advance(40_000)
        await start()
        t.match(await reader.take(1), [{ op: "start" }], "renewed, and announced again")
        server.clock.advance(44_999)
        t.same(
          (await reader.rest()).filter(({ type }) => type === "typing"),
          [],
        )
        server.clock.advance(1)
        t.match(await reader.take(1), [{ type: "typing", op: "stop", sender: { user_id: id("hamlet") } }])
        server.clock.advance(200_000)
        t.same(
          (await reader.rest()).filter(({ type }) => type === "typing"),
          [],
          "once",
        )
      })

      await t.test("nothing of it is stored, and a queue that was not live misses it", async (t) => {
        const reader = await live("cordelia")
        await tell("hamlet", { op: "start", to: [id("cordelia")] })
        const [event] = await reader.take(1)
        await server.restart()
        const resumed = server.resume("cordelia", reader)
        await resumed.rest()
        await tell("hamlet", { op: "stop", to: [id("cordelia")] })
        const [stop] = await resumed.take(1)
        t.match(stop, { op: "stop" })
        t.ok((stop?.id ?? 0) > (event?.id ?? Number.POSITIVE_INFINITY), "I4: another id than any before the restart")
        t.equal((await server.rows("select from log where type = 'typing'")).length, 0)
      })

      await t.test("who has left is not told, and still is one of the conversation", async (t) => {
        await server.as("iago").must.delete(`/users/${id("othello")}`)
        const reader = await live("cordelia")
        await tell("hamlet", { op: "start", to: [id("cordelia"), id("othello")] })
        const recipients = [id("hamlet"), id("cordelia"), id("othello")]
          .sort((a, b) => a - b)
          .map((user_id) => ({ user_id }))
        t.match(await reader.take(1), [{ op: "start", recipients }])
      })
    },
  ),
)
