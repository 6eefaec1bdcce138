/** What is not stored goes to the clients of all processes: who types, who types an edit, and in which order of ids. */
import * as Effect from "effect/Effect"
import t from "tap"
import { Realms } from "../../../src/chat/ground/realm/realms.ts"
import { WireId } from "../../../src/ids.ts"
import type { Fields } from "../../kit/client.ts"
import { Reader } from "../../kit/reader.ts"
import { until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { isLater, withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "polonius"] }] as const
const wanted = {
  event_types: ["message", "typing", "typing_edit_message"],
  client_capabilities: { stream_typing_notifications: true },
}

const type = (server: TestServer, op: "start" | "stop", fields: Fields = {}) => {
  const stream_id = server.realm.realm.findChannelByName("lobby")?.id ?? 0
  return server.as("hamlet").must.post("/typing", { type: "channel", op, stream_id, topic: "t", ...fields })
}

/** What is not stored has ids above a row that came after the start. */
const begin = async (server: TestServer, readers: ReadonlyArray<Reader>) => {
  await server.as("hamlet").send("lobby", "hello")
  for (const reader of readers) await reader.take(1)
}

/** All have heard what was told before, and nothing else. */
const ends = async (t: Test, server: TestServer, readers: ReadonlyArray<Reader>) => {
  await server.as("hamlet").send("lobby", "the end")
  for (const reader of readers) t.match(await reader.take(1), [{ type: "message" }])
}

type Test = Parameters<typeof withServers>[0]

t.test("I3 I4: who types through one process is seen at all, once, by poll and by socket", (t) =>
  withServers(t, 3, { channels }, async ([one, two, three]) => {
    if (one === undefined || two === undefined || three === undefined) return
    const [own, polling, listening] = [
      await one.queue("cordelia", wanted),
      await two.queue("cordelia", wanted),
      await three.queue("polonius", wanted),
    ]
    const readers = [own, polling, listening]
    await listening.open()
    await begin(one, readers)
    const all = async (event: object) => {
      for (const reader of readers) t.match(await reader.take(1), [event])
    }
    const sender = { user_id: one.idOf("hamlet"), email: "hamlet@test.example" }
    await type(one, "start")
    await all({ type: "typing", op: "start", message_type: "stream", topic: "t", sender })
    await type(two, "start")
    await all({ type: "typing", op: "start" })
    await type(three, "stop")
    await all({ type: "typing", op: "stop" })
    for (const { clock } of [one, two, three]) clock.advance(45_000)
    const direct = { type: "direct", to: [one.idOf("cordelia"), one.idOf("polonius")] }
    await type(two, "start", direct)
    await all({ op: "start", message_type: "direct", sender })
    await type(two, "stop", direct)
    await all({ op: "stop", message_type: "direct" })

    const message_id = await two.as("hamlet").send("lobby", "one", { topic: "plans" })
    await all({ type: "message" })
    const editing = (server: TestServer, op: string) =>
      server.as("hamlet").must.post(`/messages/${message_id}/typing`, { op })
    await editing(one, "start")
    const recipient = { type: "channel", topic: "plans" }
    await all({ type: "typing_edit_message", op: "start", message_id, recipient })
    await editing(two, "stop")
    await all({ type: "typing_edit_message", op: "stop", message_id })
    await editing(three, "start")
    await all({ type: "typing_edit_message", op: "start", message_id })
    await one.as("hamlet").must.patch(`/messages/${message_id}`, { content: "two" })
    await all({ type: "typing_edit_message", op: "stop", message_id })
    await ends(t, one, readers)
    listening.dropSocket()
  }),
)

t.test("what a process has lit goes out at the others where it says nothing more", (t) =>
  withServers(t, 3, { channels }, async ([one, two, three]) => {
    if (one === undefined || two === undefined || three === undefined) return
    const [own, reader, other] = [
      await one.queue("cordelia", wanted),
      await two.queue("cordelia", wanted),
      await three.queue("polonius", wanted),
    ]
    const readers = [own, reader, other]
    await begin(one, readers)
    await type(one, "start")
    for (const each of readers) t.match(await each.take(1), [{ op: "start" }])
    two.clock.advance(40_000)
    await type(one, "start")
    for (const each of readers) t.match(await each.take(1), [{ op: "start" }], "again")
    two.clock.advance(44_999)
    three.clock.advance(45_000)
    t.match(await other.take(1), [{ type: "typing", op: "stop" }])
    two.clock.advance(1)
    t.match(await reader.take(1), [{ type: "typing", op: "stop" }])
    await ends(t, one, readers)
  }),
)

t.test("whoever has left the channel a moment before hears nothing, though the rows come late", (t) =>
  withServers(t, 1, { channels }, async ([one], join) => {
    if (one === undefined) return
    let held: Array<() => void> | null = null
    const two = await join({
      carry: (text, give) => {
        if (held !== null && text.startsWith("r ")) held.push(() => give(text))
        else give(text)
      },
    })
    const [left, stayed] = [await two.queue("cordelia", wanted), await two.queue("polonius", wanted)]
    await begin(one, [left, stayed])
    await Promise.all([left.open(), stayed.open()])
    held = []
    const leave = { subscriptions: ["lobby"], principals: [one.idOf("cordelia")] }
    await one.as("desdemona").must.delete("/users/me/subscriptions", leave)
    const { position } = one.realm.feed
    await type(one, "start")
    // The tick may have told of the row, but never of what is not stored.
    await until("the rows are read", 10_000, () => two.realm.feed.position >= position)
    for (const give of held) give()
    t.match(await stayed.take(1), [{ type: "typing", op: "start" }])
    await one.as("hamlet").must.post("/messages", { type: "direct", to: [one.idOf("cordelia")], content: "x" })
    t.match(await left.take(1), [{ type: "message" }], "nothing before it")
    for (const each of [left, stayed]) each.dropSocket()
  }),
)

t.test("I3 I4: in a quiet organization ids rise for a client that moves, with heartbeats between", (t) =>
  withServers(t, 2, { channels, limits: { heartbeatMinSeconds: 1, heartbeatMaxSeconds: 1 } }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    let reader = await one.queue("cordelia", wanted)
    await begin(one, [reader])
    const position = () => one.realm.feed.position
    const before = position()
    for (let n = 0; n < 12; n++) {
      const [here, there] = n % 2 === 0 ? [two, one] : [one, two]
      const moved = new Reader(here.as("cordelia"), here.port, reader.state)
      moved.lastId = reader.lastId
      reader = moved
      await isLater(here, there)
      const poll = reader.poll()
      const { queues, hub } = here.realm
      // One that still reads what it has missed hears of nothing else.
      await until("the poll waits, live", 5_000, () => queues.countConnected() === 1 && hub.liveQueues === 1)
      await type(n % 3 === 0 ? there : here, "start")
      t.match(await poll, [{ type: "typing" }])
      await reader.open()
      let isHeard = false
      const heard = reader
        .until((event) => event.type === "heartbeat")
        .then(() => {
          isHeard = true
        })
      await until("a heartbeat has come", 5_000, () => {
        here.clock.advance(1000)
        return isHeard
      })
      await heard
      reader.dropSocket()
      t.ok(WireId(reader.lastId) >= here.realm.hub.newestId - 5)
    }
    t.equal(position(), before, "it costs no row")
  }),
)

t.test("notes that are none, of another form or of nobody are ignored", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const reader = await two.queue("cordelia", { ...wanted, event_types: [...wanted.event_types, "presence"] })
    await begin(one, [reader])
    const { peers, realm } = one.realm
    const channel = realm.findChannelByName("lobby")?.id ?? 0
    const hamlet = one.idOf("hamlet")
    for (const said of [
      null,
      "x",
      { op: "begin", sender: hamlet, channel, topic: "t" },
      { op: "start", sender: 4711, channel, topic: "t" },
      { op: "start", sender: hamlet, channel: 4711, topic: "t" },
      { op: "start", sender: hamlet, people: [hamlet, 4711] },
      { op: "start", sender: hamlet, people: "all" },
    ])
      peers.tell("typing", [1, said])
    peers.tell("typing", { op: "start", sender: hamlet, channel, topic: "t" })
    peers.tell("typing_edit_message", [1, { op: "start", sender_id: hamlet, message_id: 1, place: {} }])
    const now = Math.floor(Date.now() / 1000)
    for (const said of [null, [[hamlet, -1, now]], [[hamlet, now]], [[hamlet, 2 ** 32, now]], [[4711, now, now]]])
      peers.tell("presence", [1, said])
    const text = `n somebody ${one.realmId} ${realm.epoch} typing eA==`
    await one.database.cluster?.bus?.publish([{ realm: one.realmId, text }])
    const forged = () => two.run(Effect.map(Realms, (realms) => realms.busCounts()?.forged))
    await until("it is found to be of nobody", 5_000, async () => (await forged()) === 1)
    await type(one, "start")
    t.match(await reader.take(1), [{ type: "typing", op: "start", topic: "t" }])
    await ends(t, one, [reader])
  }),
)
