/**
 * Binary frames: a queue gives the same events with the same ids in every form, its connections may change between them after any
 * event, and what is no frame of the form ends the connection.
 */
import { Packr } from "msgpackr/pack"
import t from "tap"
import { closeReasons } from "../../../src/http/network/close-reasons.ts"
import { Reader } from "../../kit/reader.ts"
import { clientFrame } from "../../kit/socket-client.ts"
import { openSocket } from "../../kit/sockets.ts"
import { withServer } from "../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
const packr = new Packr({ useRecords: false })
const packed = (value: unknown): Buffer => clientFrame(2, packr.pack(value))

const texts = [
  "plain",
  "ümläut 看 🎉 \u202e",
  `long ${"x".repeat(9000)}`,
  "`code` **bold** [a](https://example.com/b?c=1)",
  "/poll who?\nme\nyou",
]

t.test("one queue read as polls, text frames and binary frames in turn", (t) =>
  withServer(t, { channels }, async (server) => {
    const mixed = await server.queue("hamlet")
    const polling = new Reader(server.as("hamlet"), server.port, (await server.queue("hamlet")).state)
    const forms = ["msgpack", "json", "poll", "msgpack", "poll", "msgpack"] as const
    for (const [n, form] of forms.entries()) {
      await server.as("cordelia").send("lobby", texts[n % texts.length] ?? "")
      await server.as("cordelia").must.post("/users/me/status", { status_text: `busy ${n}` })
      if (form !== "poll") {
        const socket = await mixed.open(form)
        t.equal(socket.protocol, `parley.v1.${form}`)
        await mixed.take(2)
        mixed.dropSocket()
      } else await mixed.rest()
    }
    await mixed.rest()
    const all = await polling.rest()
    t.ok(all.length >= 2 * forms.length)
    t.same(
      mixed.events.map(({ id: _, ...event }) => event),
      all.map(({ id: _, ...event }) => event),
    )
    t.same(
      mixed.events.map(({ id }) => id),
      all.map(({ id }) => id),
      "the same ids",
    )
  }),
)

t.test("a binary socket survives a restart of the server and goes on by its last id", (t) =>
  withServer(t, { channels }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    await reader.open("msgpack")
    await server.as("cordelia").send("lobby", "before")
    await reader.take(1)
    reader.dropSocket()
    await server.restart()
    await server.as("cordelia").send("lobby", "after")
    const again = new Reader(server.as("hamlet"), server.port, { ...reader.state, last_event_id: reader.lastId })
    await again.open("msgpack")
    t.match(await again.take(1), [{ type: "message", message: { content: "after" } }])
  }),
)

t.test("signing in by the first binary frame, and what is no frame", (t) =>
  withServer(t, { channels }, async (server) => {
    const reader = await server.queue("hamlet", { event_types: ["message"] })
    const { email, key } = server.as("hamlet").account
    const query = { queue_id: reader.queueId, last_event_id: reader.lastId }
    const socket = await openSocket({ port: server.port, query, protocol: "parley.v1.msgpack" })
    socket.say({ auth: { email, api_key: key } })
    await server.as("cordelia").send("lobby", "signed in")
    t.match(JSON.parse(await socket.next()), [{ message: { content: "signed in" } }])
    socket.close()
    await socket.closed
    const wrong: ReadonlyArray<readonly [name: string, frame: Buffer, reason: keyof typeof closeReasons]> = [
      ["nothing", clientFrame(2, Buffer.alloc(0)), "protocolError"],
      ["a text frame", clientFrame(1, Buffer.from('{"ack":1}')), "protocolError"],
      ["JSON", clientFrame(2, Buffer.from('{"ack":1}')), "protocolError"],
      ["a number", packed(1), "protocolError"],
      ["null", packed(null), "protocolError"],
      ["a list", packed([1]), "protocolError"],
      ["another key", packed({ nack: 1 }), "protocolError"],
      ["a fraction", packed({ ack: 1.5 }), "protocolError"],
      ["an id that was never given", packed({ ack: 2 ** 45 }), "protocolError"],
      ["an id of 64 bits", packed({ ack: 2n ** 63n }), "protocolError"],
      ["half a frame", clientFrame(2, packr.pack({ ack: 70_000 }).subarray(0, 6)), "protocolError"],
      ["a map of four thousand million", clientFrame(2, Buffer.of(0xdf, 0xff, 0xff, 0xff, 0xff)), "protocolError"],
      ["a list of as many", clientFrame(2, Buffer.of(0xdd, 0xff, 0xff, 0xff, 0xff, 1)), "protocolError"],
      ["a text of as many", clientFrame(2, Buffer.of(0xdb, 0xff, 0xff, 0xff, 0xff, 65)), "protocolError"],
      ["lists within lists", clientFrame(2, Buffer.alloc(4000, 0x91)), "protocolError"],
      ["an extension", clientFrame(2, Buffer.of(0xd4, 0x72, 0x40)), "protocolError"],
      ["what is too large", clientFrame(2, Buffer.alloc(5000, 0xc0)), "tooLarge"],
    ]
    for (const [name, frame, reason] of wrong) {
      const each = await reader.open("msgpack")
      each.raw(frame)
      t.equal((await each.closed).code, closeReasons[reason].code, name)
    }
    await server.as("cordelia").send("lobby", "the queue still works")
    await reader.open("msgpack")
    t.match((await reader.take(2)).at(-1), { message: { content: "the queue still works" } })
  }),
)
