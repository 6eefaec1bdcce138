/** I8 while the server cannot find out whether a commit was done, or cannot read the rows that the commit wrote. */
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
  }),
)
