/** A server of the kit in a process of its own: it is killed and restarted, and what it cannot do is said. */
import t from "tap"
import { startServer, withServer } from "../../src/testing/index.ts"
import { checkRestarts } from "./numbers-come.ts"

t.test("killed and restarted it goes on at its place, with its queues", (t) => checkRestarts(t, "child"))

t.test("what a child process cannot do is said", async (t) => {
  await t.rejects(startServer({ process: "child", clock: "still" }), /has the machine's clock/)
  await withServer({ process: "child", organization: "empty" }, async (server) => {
    await t.rejects(server.clock.advance(1), /only for a server in the test's own process/)
    t.throws(() => server.faults.loseCommits(), /only for a server in the test's own process/)
    t.match(await server.join("ann"), { name: "ann" })
  })
})
