/**
 * The WebSocket of a queue: upgrade, sign-in, acknowledgements, replacement, slow readers, and the code and text of
 * each close. Only the text for a bad queue contains "queue": a client that sees no code registers again by it.
 */
import * as Effect from "effect/Effect"
import t, { type Test } from "tap"
import { closeReasons } from "../../../src/http/network/close-reasons.ts"
import type { Account } from "../../kit/client.ts"
import { ask, bodyOf } from "../../kit/raw-http.ts"
import { type ReadEvent, Reader } from "../../kit/reader.ts"
import { inTurn } from "../../kit/share.ts"
import { clientFrame, type SocketClosed } from "../../kit/socket-client.ts"
import { frameOf, openSocket, refusalOf } from "../../kit/sockets.ts"
import { until } from "../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const types = { event_types: ["message"] }

const cursorOf = ({ queueId, lastId }: Reader) => ({ queue_id: queueId, last_event_id: lastId })

const say = (server: TestServer, content: string) => server.as("cordelia").send("lobby", content)

const contents = (events: ReadonlyArray<ReadEvent>): ReadonlyArray<unknown> =>
  events.flatMap(({ message }) =>
    typeof message === "object" && message !== null && "content" in message ? [message.content] : [],
  )

const authFrame = ({ email, key }: Account): string => JSON.stringify({ auth: { email, api_key: key } })

/** Waits until exactly `count` queues have a connection. */
const held = (server: TestServer, count: number) =>
  until(`${count} connections are held`, 10_000, () => server.realm.queues.connected().length === count)

const everyReason = Object.values(closeReasons)

/** The socket is closed with the code and the text of this reason. */
const closes = async (
  t: Test,
  socket: { readonly closed: Promise<SocketClosed> },
  reason: keyof typeof closeReasons,
  why: string,
): Promise<void> => {
  const { code, text, comeBack } = closeReasons[reason]
  const closed = await socket.closed
  t.equal(closed.code, code, `${why}: ${closed.reason}`)
  t.ok(closed.reason.startsWith(text), `${why}: ${closed.reason}`)
  t.equal(closed.reason.endsWith("come back"), comeBack, `${why}: the text says whether to come back`)
  t.equal(/queue/i.test(closed.reason), reason === "badQueue", `${why}: only a bad queue's text contains "queue"`)
}

t.test("every close reason has its own code", async (t) => {
  t.equal(new Set(everyReason.map(({ code }) => code)).size, everyReason.length)
})

t.test("opening a socket and signing in", (t) =>
  withServer(
    t,
    {
      channels,
      config: { origins: ["https://listed.example"] },
      limits: { unauthenticatedSocketsPerAddress: 3 },
    },
    async (server) => {
      const reader = await server.queue("hamlet", types)
      const { account } = server.as("hamlet")
      const { port } = server
      const query = cursorOf(reader)

      await t.test("upgrades that are accepted", async (t) => {
        const cases = [
          ["with a header", { account }, "parley.v1.json"],
          ["without a subprotocol", { account, protocol: null }, ""],
          ["with another subprotocol beside ours", { account, protocol: "chat, parley.v1.json" }, "parley.v1.json"],
          ["from a page of ours", { account, headers: { Origin: `http://127.0.0.1:${port}` } }, "parley.v1.json"],
          ["from a page that is listed", { account, headers: { Origin: "https://listed.example" } }, "parley.v1.json"],
          ["from below the queue's start", { account, query: { ...query, last_event_id: -1 } }, "parley.v1.json"],
          ["with the first frame", {}, "parley.v1.json"],
        ] as const
        for (const [name, opening, protocol] of cases) {
          const socket = await openSocket({ port, query, ...opening })
          t.equal(socket.protocol, protocol, name)
          if (!("account" in opening)) socket.send(authFrame(account))
          const content = `for one ${name}`
          await say(server, content)
          let last: unknown
          while (last !== content) last = contents(await frameOf(socket)).at(-1)
          t.equal(last, content, name)
          socket.destroy()
        }
        await held(server, 0)
      })

      await t.test("upgrades that are refused with a JSON error", async (t) => {
        const deleted = await server.queue("hamlet", types)
        await server.as("hamlet").must.delete("/events", { queue_id: deleted.queueId })
        const missing = (name: string) => ({ status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: name } })
        const bad = (queue_id: string) => ({
          status: 400,
          body: { result: "error", code: "BAD_EVENT_QUEUE_ID", queue_id },
        })
        const badRequest = { status: 400, body: { result: "error", code: "BAD_REQUEST", msg: /./ } }
        const unauthorized = { status: 401, body: { code: "UNAUTHORIZED" } }
        const cordelia = server.as("cordelia").account
        const cases = [
          ["no queue", { query: { ...query, queue_id: undefined } }, missing("queue_id")],
          ["no last event", { query: { ...query, last_event_id: undefined } }, missing("last_event_id")],
          ["an unknown queue", { query: { ...query, queue_id: "x" } }, bad("x")],
          ["a deleted queue", { query: cursorOf(deleted) }, bad(deleted.queueId)],
          ["another person's queue", { account: cordelia }, bad(reader.queueId)],
          ["ahead of all", { query: { ...query, last_event_id: 2 ** 40 } }, bad(reader.queueId)],
          ...["x", "1.5", "-2", "1e3", "", "99999999999999999999"].map(
            (last_event_id) =>
              [`the last event ${last_event_id}`, { query: { ...query, last_event_id } }, badRequest] as const,
          ),
          ["another key", { account: { ...account, key: "k".repeat(32) } }, unauthorized],
          ["a broken key", { account: { ...account, key: "k" } }, unauthorized],
          ["another scheme", { headers: { Authorization: "Bearer x" } }, badRequest],
          [
            "a page from elsewhere",
            { headers: { Origin: "https://evil.example" } },
            { status: 403, body: { code: "BAD_REQUEST" } },
          ],
          ["a page of the same name on another port", { headers: { Origin: "http://127.0.0.1:1" } }, { status: 403 }],
          ["a page that hides where it is from", { headers: { Origin: "null" } }, { status: 403 }],
          ["other subprotocols only", { protocol: "chat, parley.v2.json" }, badRequest],
          ["another version of WebSocket", { headers: { "Sec-WebSocket-Version": "8" } }, badRequest],
        ] as const
        for (const [name, opening, expected] of cases)
          t.match(await refusalOf(openSocket({ port, query, account, ...opening })), expected, name)
        t.equal(server.realm.queues.connected().length, 0)
        const path = `/api/v1/events/ws?queue_id=${reader.queueId}&last_event_id=${reader.lastId}`
        const headers = { Authorization: `Basic ${Buffer.from(`${account.email}:${account.key}`).toString("base64")}` }
        for (const method of ["GET", "POST", "DELETE"]) {
          const answer = await ask(port, { method, path, headers })
          t.match(bodyOf(answer), { result: "error", code: String, msg: String }, `${method} without an upgrade`)
          t.ok((answer?.status ?? 0) >= 400 && (answer?.status ?? 0) < 500, `${method}: ${answer?.status}`)
        }
      })

      await t.test("signing in with the first frame", async (t) => {
        const open = (further: { readonly query?: Readonly<Record<string, string | number>> } = {}) =>
          openSocket({ port, query, ...further })
        const wrong: ReadonlyArray<readonly [string, string, keyof typeof closeReasons]> = [
          ["another key", authFrame({ ...account, key: "k".repeat(32) }), "unauthorized"],
          ["a broken key", authFrame({ ...account, key: "k" }), "unauthorized"],
          ["an unknown address", authFrame({ ...account, email: "yorick@test.example" }), "unauthorized"],
          ["another person", authFrame(server.as("cordelia").account), "badQueue"],
          ["an acknowledgement", '{"ack":1}', "protocolError"],
          ["no JSON", "{", "protocolError"],
          ["nothing", "", "protocolError"],
          ["half of it", '{"auth":{"email":"a"}}', "protocolError"],
          ["numbers", '{"auth":{"email":1,"api_key":2}}', "protocolError"],
          ["too much", JSON.stringify({ auth: { email: "x".repeat(5000), api_key: "" } }), "tooLarge"],
        ]
        for (const [name, frame, reason] of wrong) {
          const socket = await open()
          socket.send(frame)
          await closes(t, socket, reason, name)
        }
        const binary = await open()
        binary.raw(clientFrame(2, Buffer.from(authFrame(account))))
        await closes(t, binary, "protocolError", "a valid sign-in in a binary frame")
        const lost = await open({ query: { ...query, queue_id: "x" } })
        lost.send(authFrame(account))
        await closes(t, lost, "badQueue", "an unknown queue")

        const silent = await open()
        const other = await open()
        server.clock.advance(9_999)
        other.send(authFrame(account))
        await held(server, 1)
        server.clock.advance(1)
        await closes(t, silent, "unauthorized", "no sign-in within ten seconds")
        await say(server, "to the signed-in socket")
        let last: unknown
        while (last !== "to the signed-in socket") last = contents(await frameOf(other)).at(-1)
        other.destroy()
        await held(server, 0)
      })

      await t.test("the number of sockets per address that wait to sign in is limited", async (t) => {
        const waiting = await Promise.all([1, 2, 3].map(() => openSocket({ port, query })))
        t.match(await refusalOf(openSocket({ port, query })), {
          status: 429,
          body: { code: "RATE_LIMIT_HIT", "retry-after": /\d/, msg: /./ },
        })
        const [first, second] = waiting
        first?.send(authFrame(account))
        await held(server, 1)
        waiting.push(await openSocket({ port, query }))
        t.equal(
          (await refusalOf(openSocket({ port, query }))).status,
          429,
          "a signed-in socket no longer counts, the new waiting one does",
        )
        second?.destroy()
        await until("a closed socket no longer counts", 10_000, () =>
          openSocket({ port, query }).then(
            (socket) => waiting.push(socket) > 0,
            () => false,
          ),
        )
        for (const socket of waiting) socket.destroy()
        await held(server, 0)
      })
    },
  ),
)

t.test("events and acknowledgements", (t) =>
  withServer(t, { channels }, async (server) => {
    await t.test("a client whose connection was cut continues after its last event", async (t) => {
      const reader = await server.queue("hamlet", types)
      await reader.open()
      for (const content of ["one", "two", "three"]) {
        await say(server, content)
        t.same(contents(await reader.take(1)), [content])
      }
      reader.dropSocket()
      await say(server, "four")
      await reader.open()
      t.same(contents(await reader.take(1)), ["four"])
      reader.dropSocket()

      const [one] = reader.events
      const again = new Reader(server.as("hamlet"), server.port, reader.state)
      again.lastId = one?.id ?? 0
      await again.open()
      t.same(contents(await again.take(3)), ["two", "three", "four"], "an older cursor gets all later events again")
      again.dropSocket()
    })

    await t.test("the last acknowledged id is stored and survives a restart", async (t) => {
      const reader = await server.queue("hamlet", types)
      const socket = await reader.open()
      await say(server, "seen")
      await reader.take(1)
      await until(
        "the acknowledgement has come",
        10_000,
        () => server.realm.queues.connected()[0]?.acked === reader.lastId,
      )
      await server.restart()
      await socket.closed
      const [row] = await server.rows("select acked from event_queue where id = $1", [reader.queueId])
      t.match(row, { acked: reader.lastId })
    })

    await t.test("an acknowledgement beyond the newest sent event counts as one of that event", async (t) => {
      const reader = await server.queue("hamlet", types)
      const socket = await reader.open()
      await say(server, "one")
      const [event] = await frameOf(socket)
      await server.as("cordelia").must.post("/users/me/subscriptions", { subscriptions: [{ name: "of no interest" }] })
      const ahead = server.realm.realm.position * 65_536
      t.ok(ahead > (event?.id ?? ahead), "the newest row is not for this queue")
      socket.send(JSON.stringify({ ack: ahead }))
      const acked = () => server.realm.queues.connected()[0]?.acked
      await until("the acknowledgement has come", 10_000, () => acked() !== reader.lastId)
      t.equal(acked(), event?.id)
      socket.send(JSON.stringify({ ack: -1, more: "than is read" }))
      await say(server, "two")
      t.same(contents(await frameOf(socket)), ["two"], "the connection stays open")
      t.equal(acked(), event?.id, "an acknowledgement below the last one changes nothing")
      socket.destroy()
      await held(server, 0)
    })

    await t.test("an acknowledgement of an id that no event has had closes the connection", async (t) => {
      const reader = await server.queue("hamlet", types)
      const socket = await reader.open()
      await say(server, "one")
      await frameOf(socket)
      // Up to the newest row any id is taken: another process may have given it.
      socket.send(JSON.stringify({ ack: (server.realm.realm.position + 1) * 65_536 }))
      t.equal((await socket.closed).code, closeReasons.protocolError.code)
      await held(server, 0)
    })

    await t.test("an acknowledgement in fragments, with a ping and a pong between them, is accepted", async (t) => {
      const reader = await server.queue("hamlet", types)
      const socket = await reader.open()
      await say(server, "one")
      const [event] = await frameOf(socket)
      const ack = JSON.stringify({ ack: event?.id })
      socket.raw(clientFrame(1, Buffer.from(ack.slice(0, 4)), false))
      socket.raw(clientFrame(9, Buffer.from("ping")))
      socket.raw(clientFrame(10, Buffer.from("pong")))
      socket.raw(clientFrame(0, Buffer.from(ack.slice(4))))
      await until("the acknowledgement has come", 10_000, () => server.realm.queues.connected()[0]?.acked === event?.id)
      await say(server, "two")
      t.same(contents(await frameOf(socket)), ["two"])
      socket.destroy()
      await held(server, 0)
    })

    await t.test("a frame that breaks the protocol closes the socket, and the queue stays", async (t) => {
      const frames: ReadonlyArray<readonly [string, Buffer | string, keyof typeof closeReasons]> = [
        ["no JSON", "{", "protocolError"],
        ["nothing", "", "protocolError"],
        ["null", "null", "protocolError"],
        ["a list", "[1]", "protocolError"],
        ["another key", '{"nack":1}', "protocolError"],
        ["a text", '{"ack":"1"}', "protocolError"],
        ["a fraction", '{"ack":1.5}', "protocolError"],
        ["an id below all ids", '{"ack":-2}', "protocolError"],
        ["an infinite number", '{"ack":1e400}', "protocolError"],
        ["an id that was never given", `{"ack":${2 ** 45}}`, "protocolError"],
        ["a second sign-in", authFrame(server.as("hamlet").account), "protocolError"],
        ["a binary frame", clientFrame(2, Buffer.from('{"ack":1}')), "protocolError"],
        ["a frame that is too large", `{"ack":${" ".repeat(5000)}1}`, "tooLarge"],
        ["a deep frame", `{"ack":${"[".repeat(2000)}`, "protocolError"],
      ]
      const reader = await server.queue("hamlet", types)
      for (const [name, frame, reason] of frames) {
        const socket = await reader.open()
        if (typeof frame === "string") socket.send(frame)
        else socket.raw(frame)
        await closes(t, socket, reason, name)
      }
      await say(server, "the queue still works")
      t.same(contents(await new Reader(server.as("hamlet"), server.port, reader.state).take(1)), [
        "the queue still works",
      ])
    })
  }),
)

t.test("each reason for which the server closes a socket", inTurn(2, "reasons to close a socket"), (t) =>
  withServer(t, { channels }, async (server) => {
    const open = async (fields = {}) => {
      const reader = await server.queue("hamlet", { ...types, ...fields })
      const socket = await reader.open()
      await held(server, 1)
      return { reader, socket }
    }

    await t.test("replaced: a socket by a newer socket or a poll, a poll by a socket", async (t) => {
      const { reader, socket } = await open()
      const newer = await reader.open()
      await closes(t, socket, "replaced", "a newer socket")
      await say(server, "for the newer")
      t.same(contents(await frameOf(newer)), ["for the newer"])
      const fields = { ...cursorOf(reader), last_event_id: reader.lastId + 1 }
      const poll = server.as("hamlet").get("/events", fields)
      await closes(t, newer, "replaced", "a newer poll")
      t.match(
        await poll,
        { body: { events: [{ message: { content: "for the newer" } }] } },
        "the poll gets the event again, because it was not acknowledged",
      )
      reader.lastId = (await reader.rest()).at(-1)?.id ?? reader.lastId
      const held = server.as("hamlet").get("/events", cursorOf(reader))
      await until("the poll waits", 10_000, () => server.realm.queues.connected().length === 1)
      const last = await reader.open()
      t.match(await held, { status: 200, body: { events: [] } })
      await say(server, "for the last")
      t.same(contents(await frameOf(last)), ["for the last"])
      reader.dropSocket()
    })

    await t.test("bad queue: deleted, expired, or its unread rows were pruned", async (t) => {
      const { reader, socket } = await open()
      await server.as("hamlet").must.delete("/events", { queue_id: reader.queueId })
      await closes(t, socket, "badQueue", "deleted")

      const expired = await server.queue("hamlet", types)
      for (let minute = 0; minute < 15; minute++) {
        server.clock.advance(60_000)
        await server.run(server.realm.queues.sweep())
      }
      const late = await openSocket({ port: server.port, query: cursorOf(expired) })
      late.send(authFrame(server.as("hamlet").account))
      await closes(t, late, "badQueue", "expired")

      const behind = await server.queue("hamlet", types)
      await say(server, "gone")
      await say(server, "there")
      await server.restart()
      await server.rows("delete from log where position < $1::bigint", [server.realm.realm.position])
      await server.restart()
      await closes(t, await server.resume("hamlet", behind).open(), "badQueue", "its unread rows were pruned")
      const { account } = server.as("hamlet")
      const refused = await refusalOf(openSocket({ port: server.port, query: cursorOf(behind), account }))
      t.match(refused, { body: { code: "BAD_EVENT_QUEUE_ID" } }, "the queue stays unusable")
    })

    await t.test("a heartbeat comes every 45 to 55 seconds", async (t) => {
      const { reader, socket } = await open({ event_types: [] })
      for (const round of [1, 2, 3]) {
        server.clock.advance(round === 1 ? 44_000 : 0)
        await server.as("hamlet").must.get("/users/me")
        t.equal(reader.events.length, round - 1, "no heartbeat before 45 seconds")
        server.clock.advance(round === 1 ? 11_000 : 55_000)
        t.match(await reader.frame(), [{ type: "heartbeat" }])
      }
      socket.destroy()
      await held(server, 0)
    })

    await t.test("nothing acknowledged for an hour", async (t) => {
      const { socket: silent } = await open({ event_types: [] })
      const acking = await server.queue("cordelia", { event_types: [] })
      const other = await acking.open()
      await held(server, 2)
      for (let minute = 0; minute < 59; minute++) {
        server.clock.advance(60_000)
        await acking.frame()
        await until("the acknowledgement has come", 10_000, () =>
          server.realm.queues.connected().some(({ acked }) => acked === acking.lastId),
        )
      }
      t.equal(server.realm.queues.connected().length, 2, "59 minutes are not an hour")
      server.clock.advance(60_000)
      await acking.frame()
      server.clock.advance(60_000)
      await closes(t, silent, "noAck", "an hour of silence")
      t.match(await acking.frame(), [{ type: "heartbeat" }], "the socket that acknowledges stays open")
      other.destroy()
      await held(server, 0)
    })

    await t.test("unauthorized: the account is deactivated", async (t) => {
      const reader = await server.queue("othello", types)
      const socket = await reader.open()
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      await closes(t, socket, "unauthorized", "deactivated")
    })

    await t.test("going away: the server drains", async (t) => {
      const names: ReadonlyArray<Name> = ["hamlet", "cordelia", "iago"]
      const readers = await Promise.all(names.map((name) => server.queue(name, types)))
      const sockets = await Promise.all(readers.map((reader) => reader.open()))
      const { account } = server.as("hamlet")
      const query = readers[0] === undefined ? {} : cursorOf(readers[0])
      const waiting = await openSocket({ port: server.port, query })
      await held(server, 3)
      let drained = false
      const draining = Effect.runPromise(server.app.drain).then(() => {
        drained = true
      })
      await until("the server has drained", 20_000, () => {
        server.clock.advance(100)
        return drained
      })
      await draining
      for (const socket of [...sockets, waiting]) await closes(t, socket, "goingAway", "drained")
      await t.rejects(openSocket({ port: server.port, query, account }), "a draining server accepts no new socket")
      await server.restart()
      await say(server, "after it came back")
      for (const [index, name] of names.slice(0, 2).entries()) {
        const reader = readers[index]
        if (reader !== undefined)
          t.same(contents(await server.resume(name, reader).take(1)), ["after it came back"], name)
      }
    })
  }),
)

t.test("I10, I11: a client that stops reading its socket", (t) =>
  withServer(
    t,
    {
      channels,
      limits: { maxMessageLength: 400_000, maxRequestBytes: 2 ** 21, socketBackpressureBytes: 64 * 1024 },
    },
    async (server) => {
      /** Sends until the server holds back from the socket; the system's own buffers take some megabytes first. */
      const stall = async (): Promise<ReadonlyArray<string>> => {
        const sent: Array<string> = []
        const [queue] = server.realm.queues.connected()
        while (queue?.isStalled === false && sent.length < 100) {
          const content = `${sent.length} ${"x".repeat(390_000)}`
          await say(server, content)
          sent.push(content)
        }
        return sent
      }
      const size = (events: ReadonlyArray<ReadEvent>) => contents(events).map((content) => String(content).slice(0, 4))

      await t.test("gets every event when it reads again", async (t) => {
        const reader = await server.queue("hamlet", types)
        const socket = await reader.open()
        await held(server, 1)
        socket.pause()
        const sent = [...(await stall())]
        t.ok(server.realm.queues.connected()[0]?.isStalled, `held back after ${sent.length} messages`)
        for (const content of ["while it is stalled", "and another"]) {
          await say(server, content)
          sent.push(content)
        }
        socket.resume()
        t.same(
          size(await reader.take(sent.length)),
          sent.map((content) => content.slice(0, 4)),
        )
        t.notOk(server.realm.queues.connected()[0]?.isStalled)
        reader.dropSocket()
        await held(server, 0)
      })

      await t.test("is closed after two minutes without reading, and loses no event", async (t) => {
        const reader = await server.queue("hamlet", types)
        const socket = await reader.open()
        await held(server, 1)
        socket.pause()
        const sent = await stall()
        let seconds = 0
        for (; server.realm.queues.connected().length > 0 && seconds < 300; seconds += 5) server.clock.advance(5000)
        t.ok(seconds > 120 && seconds <= 185, `closed ${seconds} seconds after it had stopped reading`)
        t.equal((await server.as("hamlet").get("/users/me")).status, 200, "other requests are answered meanwhile")
        socket.resume()
        await closes(t, socket, "slowReader", "nothing read for two minutes")
        t.same(
          size(await reader.rest()),
          sent.map((content) => content.slice(0, 4)),
          "the queue still has every event",
        )
      })
    },
  ),
)
