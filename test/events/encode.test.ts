/** Encoding of rows for clients, where a row cannot be encoded. */
import t from "tap"
import { wireId } from "../../src/events/event.ts"
import { emit, further } from "../kit/further.ts"
import { withServer } from "../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

t.test(
  "a row that cannot be encoded is skipped; queues get all others, live and from the log, after a restart too",
  (t) =>
    // Its receivers were answered 503 on every poll, because each reading met the row again.
    withServer(t, { channels, further, onOddRows: () => {} }, async (server) => {
      const wanted = { event_types: ["test_brittle", "message"] }
      const narrow = [["channel", "lobby"]]
      const live = await server.queue("hamlet", wanted)
      const socket = await server.queue("cordelia", wanted)
      const narrowed = await server.queue("othello", { ...wanted, narrow })
      const away = await server.queue("hamlet", wanted)
      await socket.open()
      const [one, bad, two] = [
        await emit(server, { type: "test_brittle", payload: { name: "one" } }),
        await emit(server, { type: "test_brittle", payload: { name: "bad", unreadable: true } }),
        await emit(server, { type: "test_brittle", payload: { name: "two" } }),
      ]
      // A message of which nothing can be read, not even by the filter of a queue.
      await server.rows(
        `insert into log (realm_id, position, type, payload, audience, width, at)
       select 1, $1::bigint + 1, 'message', '{"odd": true}', '{"kind": "realm"}', 1, at from log where position = $1`,
        [two],
      )
      const last = await emit(server, { type: "test_brittle", payload: { name: "last" } })
      t.same([bad, two, last], [one + 1, one + 2, one + 4])
      const expected = [
        { id: wireId(one, 0), type: "test_brittle", name: "one" },
        { id: wireId(two, 0), type: "test_brittle", name: "two" },
        { id: wireId(last, 0), type: "test_brittle", name: "last" },
      ]
      for (const reader of [live, socket, narrowed]) t.same(await reader.take(3), expected)
      await server.restart()
      t.same(await server.resume("hamlet", away).rest(), expected)
      const again = server.resume("othello", narrowed)
      again.rewind(Number(narrowed.state["last_event_id"]))
      t.same(await again.rest(), expected)
      const next = await emit(server, { type: "test_brittle", payload: { name: "next" } })
      t.match(await again.take(1), [{ id: wireId(next, 0), name: "next" }])
    }),
)
