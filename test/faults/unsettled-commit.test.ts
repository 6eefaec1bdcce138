/**
 * I8 while the server cannot find out whether a commit was done, cannot read the rows that the commit wrote, or has no
 * room to write.
 */
import t from "tap"
import { ask } from "../kit/at-once.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "othello"] as const }]

const countOf = async (server: TestServer, content: string): Promise<unknown> =>
  (await server.rows("select count(*) as n from message where content = $1", [content]))[0]?.["n"]

t.test("I8: commits whose outcome is unknown for a while", (t) =>
  withServer(t, { channels }, async (server) => {
    const { faults } = server
    await server.as("hamlet").send("lobby", "first")

    await t.test("a database that refuses to say how the commit ended has not refused the commit", async (t) => {
      faults.failCommits("lost")
      faults.settling = "refused"
      const send = (content: string) =>
        ask(server, "hamlet", "POST /messages", { type: "channel", to: "lobby", topic: "t", content })
      const answers = Promise.all([send("one"), send("two")])
      await until("the server has asked twice", 10_000, () => faults.settles >= 2)
      faults.settling = "answered"
      t.match(await answers, [{ told: "done" }, { told: "done" }])
      t.same(await Promise.all([countOf(server, "one"), countOf(server, "two")]), [1, 1])
    })

    await t.test(
      "while the rows of a done commit cannot be read, its requesters wait and all others get 503",
      async (t) => {
        faults.failCommits("lost")
        faults.failQueries("log_rows")
        const waiting = server.as("hamlet").send("lobby", "settled")
        await until("its rows are asked for", 10_000, () => faults.failed > 0)
        const other = await server
          .as("othello")
          .post("/messages", { type: "channel", to: "lobby", topic: "t", content: "not sent" })
        t.equal(other.status, 503)
        faults.flow()
        t.same(await server.rows("select id from message where content = 'settled'"), [{ id: await waiting }])
        t.equal(await countOf(server, "not sent"), 0)
      },
    )

    await t.test("after 30 s without those rows the connections of its requesters are cut", async (t) => {
      const failed = faults.failed
      faults.failCommits("lost")
      faults.failQueries("log_rows")
      const cut = t.rejects(server.as("hamlet").send("lobby", "nobody knows"), "cut")
      await until("its rows are asked for", 10_000, () => faults.failed > failed)
      server.clock.advance(30_000)
      await cut
      faults.flow()
      await until("it is known in the end", 10_000, () => !server.realm.writer.busy())
    })

    await t.test(
      "with a full disk commits are refused, reads go on, and the server is ready again by itself",
      async (t) => {
        const send = () =>
          server.as("hamlet").post("/messages", { type: "channel", to: "lobby", topic: "t", content: "no room" })
        const ready = async () => {
          const answer = await fetch(`${server.origin}/ready`)
          return { status: answer.status, body: await answer.json() }
        }
        t.same(await ready(), { status: 200, body: { status: "ready" } })
        faults.failCommits("full")
        faults.failStatements(/probe_writes/, "full", 2)
        const commits = faults.commits.length
        for (let sends = 0; sends < 3; sends++)
          t.match(await send(), { status: 503, body: { code: "SERVICE_UNAVAILABLE", "retry-after": 1 } })
        t.equal(faults.commits.length, commits + 1, "the database was asked once")
        t.same(await ready(), { status: 503, body: { status: "writes fail, only reads are served" } })
        t.equal(
          (await server.as("hamlet").get("/messages", { anchor: "newest", num_before: 1, num_after: 0 })).status,
          200,
        )
        await until("probes have found room", 10_000, async () => {
          server.clock.advance(1000)
          return (await ready()).status === 200
        })
        t.equal(faults.statementsToFail(), 0)
        t.same(await countOf(server, "no room"), 0)
        await server.as("hamlet").send("lobby", "room")
      },
    )
  }),
)
