/** GET and DELETE /events: acknowledging, waiting, what is refused, heartbeats and idle queues. */
import t, { type Test } from "tap"
import { idSpan, lastIdOf, positionOf } from "../../../../src/events/event.ts"
import { WireId } from "../../../../src/ids.ts"
import type { Answer, Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import { pluck } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { inTurn } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

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

t.test("polling a queue", (t) =>
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

    await t.test("events are kept until they are acknowledged, and read again from any id before", async (t) => {
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

    await t.test("a newer poll replaces the waiting one", async (t) => {
      const reader = await server.queue("hamlet", types)
      const ask = () => poll(server, "hamlet", { queue_id: reader.queueId, last_event_id: reader.lastId })
      const older = ask()
      await held(server, 1)
      const newer = ask()
      t.match(await older, { status: 200, body: { result: "success", msg: "", events: [] } })
      await say("for the newer")
      t.same(contents(await newer), ["for the newer"])
    })

    await t.test("a client that closes its connection loses no event", async (t) => {
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

    await t.test("deleting a queue answers its waiting poll, and is final", async (t) => {
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

    await t.test("a queue whose unread events were pruned from the log is refused", async (t) => {
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

t.test("an answer has a limited number of events and bytes; the next one continues", (t) =>
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

t.test("heartbeats and idle timeouts", inTurn(2, "heartbeats"), (t) =>
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

    await t.test(
      "an id above the newest row is refused, and any at it is taken: another process may have given it",
      async (t) => {
        const reader = await server.queue("hamlet", { event_types: [] })
        const ask = (last_event_id: number) =>
          poll(server, "hamlet", { queue_id: reader.queueId, last_event_id, dont_block: true })
        const [head, width] = [positionOf(WireId(reader.lastId)), (reader.lastId % idSpan) + 1]
        const refused = lastIdOf(head + 1, 1)
        t.match(await ask(refused), bad(reader.queueId), `${refused} after ${reader.lastId}`)
        t.match(await ask(reader.lastId), { status: 200 })
        const held = reader.poll()
        await until("it is held", 10_000, () => server.realm.queues.connected().length === 1)
        server.clock.advance(55_000)
        const [heartbeat] = await held
        const given = heartbeat?.id ?? 0
        t.ok(given > lastIdOf(head, width), "the heartbeat has an id of its own")
        t.match(await ask(given), { status: 200 })
        await server.restart()
        t.match(await ask(given), { status: 200 }, "an earlier process gave it")
        t.match(await ask(lastIdOf(positionOf(WireId(given)), idSpan)), { status: 200 }, "or may have given it")
        t.match(await ask(lastIdOf(positionOf(WireId(given)) + 1, 1)), bad(reader.queueId))
        await server.as("cordelia").send("lobby", "a new row")
        const { feed } = server.realm
        t.match(await ask(feed.newestId + 1), bad(reader.queueId), "nobody has given ids at a row that is not there")
        t.match(await ask(given), { status: 200 })
        const other = await server.queue("hamlet", { event_types: [] })
        const foreign = { queue_id: other.queueId, last_event_id: lastIdOf(feed.position, idSpan), dont_block: true }
        t.match(
          await poll(server, "hamlet", foreign),
          { status: 200 },
          "another process may have given it at the new row",
        )
      },
    )

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

    await t.test("a queue that is not polled is deleted after 600 seconds", async (t) => {
      const reader = await server.queue("hamlet")
      await idle(595)
      t.ok(await exists(reader))
      t.same(await reader.poll(false), [])
      await idle(595)
      t.ok(await exists(reader), "from the last time it was asked for")
      await isSwept(t, reader)
    })

    await t.test("a longer timeout of the register is kept, whether or not the queue is in memory", async (t) => {
      const reader = await server.queue("hamlet", { idle_queue_timeout: 7200 })
      await idle(3600)
      t.equal(server.realm.queues.size(), 0, "it has left the memory")
      await server.as("cordelia").send("lobby", "while away")
      t.match(await reader.take(1), [{ message: { content: "while away" } }])
      await idle(7100)
      t.ok(await exists(reader))
      await isSwept(t, reader)
    })

    await t.test("time while the server is down does not count", async (t) => {
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
