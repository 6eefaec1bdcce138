/**
 * A server that is killed at the worst moments: after a commit and before its answer, before a statement has arrived,
 * after ephemerals, in the middle of a burst. Every queue gets every event exactly once and in order, every acknowledged
 * message is stored once, and no refused one is. Kills at random moments: test/deep/kill.test.ts.
 */
import t, { type Test } from "tap"
import { IdBook } from "../kit/id-book.ts"
import { findOrphans } from "../kit/orphans.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "othello"] as const }]

const message = (content: string) => ({
  type: "channel",
  to: "lobby",
  topic: "t",
  content,
  queue_id: "a queue",
  local_id: content,
})

/** One message with this content is stored, under this id. */
const standsOnce = async (t: Test, server: TestServer, content: string, id: unknown): Promise<void> =>
  void t.same(await server.rows("select id from message where content = $1", [content]), [{ id }], content)

t.test("a server that dies and is started again", (t) =>
  withServer(t, { channels }, async (server) => {
    const { faults } = server
    await server.as("othello").send("lobby", "first")
    const reader = await server.queue("cordelia", { event_types: ["message"] })

    await t.test(
      "I8, I9: killed after a commit and before its answer: the retry gets the id of the first send",
      async (t) => {
        const asked = faults.settles
        faults.failCommits("lost")
        faults.settling = "lost"
        const cut = t.rejects(server.as("hamlet").post("/messages", message("committed")), "no answer comes")
        await until("the server asks how the commit ended", 10_000, () => faults.settles > asked)
        await faults.kill()
        await cut
        const { id } = await server.as("hamlet").must.post("/messages", message("committed"))
        await standsOnce(t, server, "committed", id)
      },
    )

    await t.test("I8: killed before the commit arrived: the commit is never done, the retry is", async (t) => {
      const asked = faults.settles
      faults.failCommits("late")
      faults.settling = "lost"
      const cut = t.rejects(server.as("hamlet").post("/messages", message("late")), "no answer comes")
      await until("the server asks how the commit ended", 10_000, () => faults.settles > asked)
      await faults.kill()
      await cut
      t.same(await faults.arrive(), ["foreign"], "another server holds the log by now")
      const { id } = await server.as("hamlet").must.post("/messages", message("late"))
      await standsOnce(t, server, "late", id)
    })

    await t.test(
      "I1, I3, I9: killed in the middle of a burst: each message is stored once and read once",
      async (t) => {
        const contents = Array.from({ length: 60 }, (_, n) => `burst ${n}`)
        let answered = 0
        const post = async (content: string): Promise<unknown> => {
          const answer = await server.as("hamlet").post("/messages", message(content))
          if (answer.status !== 200) return null
          answered++
          return answer.body["id"]
        }
        const first = Promise.all(contents.map((content) => post(content).catch(() => null)))
        await until("a part is answered", 10_000, () => answered > 0)
        await faults.kill()
        const known = await first
        const ids = new Map<string, unknown>()
        for (const [n, content] of contents.entries()) {
          const id = await post(content)
          if (known[n] !== null) t.equal(id, known[n], content)
          ids.set(content, id)
        }
        for (const [content, id] of ids) await standsOnce(t, server, content, id)
        const events = await server.resume("cordelia", reader).rest()
        const sent = await server.rows("select id from message where content <> 'first' order by id")
        t.same(
          events.map(({ id }) => id / 65_536),
          sent.map(({ id }) => id),
          "the queue that outlived all three servers",
        )
        const [gaps] = await server.rows("select max(position) - count(*) as n from log")
        t.equal(gaps?.["n"], 0, "positions have no gap")
      },
    )

    await t.test("I3, I4: no ephemeral has an id that one before the kill had", async (t) => {
      const book = new IdBook()
      const people = [server.idOf("hamlet"), server.idOf("othello")]
      const hamlet = await server.queue("hamlet", { event_types: ["typing"] })
      const othello = await server.queue("othello", { event_types: ["typing"] })
      const type = (op: string) => server.as("cordelia").must.post("/typing", { op, to: people })
      await server.as("cordelia").send("lobby", "so that the position is a new one")
      await hamlet.rest()
      for (const op of ["start", "stop", "start"]) await type(op)
      for (const event of await hamlet.take(3)) book.see("hamlet", event)
      await faults.kill()
      const resumed = server.resume("othello", othello)
      await resumed.rest()
      for (const op of ["stop", "start", "stop"]) await type(op)
      for (const event of await resumed.take(3)) book.see("othello", event)
      await book.checkWidths(server)
      t.same(book.faults, [])
    })

    t.same(await findOrphans(server), [], "I2")
  }),
)
