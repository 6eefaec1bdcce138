/** What a queue hears that outlives an upgrade: another program serves the organization than before. */
import t from "tap"
import { sameAfresh } from "../../../kit/afresh.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const written = async (server: TestServer) =>
  (await server.rows("select position from log where type = 'restart'")).length

/** As if an older program had served it. */
const asIfOlder = (server: TestServer) =>
  server.rows(`update realm set settings = settings || '{"program": "10.0 10.0 300 0.0.1"}'`)

const generation = async (server: TestServer) =>
  (await server.as("hamlet").must.post("/register", { fetch_event_types: ["realm"] }))["server_generation"]

t.test("a program that comes to serve an organization says so once, to all queues that want to know", (t) =>
  withServer(t, {}, async (server) => {
    const made = Math.floor(server.clock.now() / 1000)
    t.equal(await generation(server), made, "the organization's first program came when it was made")
    await server.restart()
    t.equal(await generation(server), made, "the same program does not")
    t.equal(await written(server), 0)

    let reader = await server.queue("hamlet", { event_types: ["restart"] })
    // The second comes within the same second, the third later, and the fourth after the clock was set back by hours.
    for (const [which, passes] of [
      [made + 1, 0],
      [made + 2, 0],
      [made + 3600, 3_600_000],
      [made + 3601, -7_200_000],
    ] as const) {
      server.clock.jump(passes)
      await asIfOlder(server)
      await server.restart()
      reader = server.resume("hamlet", reader)
      const [event] = await reader.take(1)
      const { id: _, ...said } = event ?? {}
      t.same(said, {
        type: "restart",
        zulip_version: "11.0-dev",
        zulip_merge_base: "11.0-dev",
        zulip_feature_level: 417,
        server_generation: which,
      })
      t.equal(await generation(server), which)
      await sameAfresh(t, server, `change ${which}`)
    }
    await server.restart()
    t.equal(await generation(server), made + 3601)
    t.equal(await written(server), 4, "nothing is said by a further start of the same program")
  }),
)
