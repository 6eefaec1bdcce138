/** Many queues that were away: their past is read from the log once, and each gets all of its own. */
import t from "tap"
import { emit, further } from "../../kit/further.ts"
import { withServer } from "../../kit/with-server.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia"] } as const
const rowsMissed = 900

t.test("many queues that lack the same rows read each page of the log once", (t) =>
  withServer(t, { channels: [lobby], further, limits: { ringBytes: 64 * 1024 } }, async (server) => {
    const readers = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        server.queue(n % 2 === 0 ? "hamlet" : "cordelia", { event_types: ["test_large"] }),
      ),
    )
    const names = Array.from({ length: rowsMissed }, (_, n) => `event ${n}`)
    const audiences = [{ kind: "realm" }, { kind: "users", users: [server.idOf("hamlet")] }]
    await Promise.all(
      names.map((name, n) =>
        emit(server, { type: "test_large", payload: { name, size: 10 }, audience: audiences[n % 2] ?? {} }),
      ),
    )
    // Their live lists are gone, and nothing of the log is in memory.
    await server.restart()
    const { ring, feed } = server.realm
    t.ok((ring.oldest ?? 0) > feed.position - 300, `the ring begins at ${ring.oldest} of ${feed.position}`)
    const back = readers.map((reader, n) => server.resume(n % 2 === 0 ? "hamlet" : "cordelia", reader))
    // The queues themselves are loaded first.
    await back[0]?.poll(false)
    const before = server.database.statements()
    const came = await Promise.all(back.slice(1).map((reader) => reader.rest()))
    const statements = server.database.statements() - before
    for (const [index, events] of came.entries()) {
      const all = index % 2 === 0 ? names.filter((_, n) => n % 2 === 0) : names
      t.same(
        events.map(({ name }) => name),
        all,
      )
    }
    t.ok(statements <= 2 + Math.ceil(rowsMissed / 256) + 1, `${statements} statements for 29 queues`)
  }),
)
