/** Exports that are cut off in the middle, and such that cannot be made. */

import * as Effect from "effect/Effect"
import t from "tap"
import { countMessages } from "../../../../src/chat/organization/realm-exports/export-messages-store.ts"
import { UserReads } from "../../../../src/db/reads.ts"
import { ended, exportsOf, fetched, heldUp, listedIn, wanted } from "../../../kit/exports.ts"
import { until } from "../../../kit/test-database.ts"
import { storedFiles } from "../../../kit/uploads.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const
const second = 1000

const kept = (server: TestServer) => storedFiles(server).filter((name) => name.includes("/exports/"))

for (const [how, end] of [
  ["killed", (server: TestServer) => server.faults.kill()],
  ["stopped", (server: TestServer) => server.restart()],
] as const)
  t.test(`one that is cut off by a server that is ${how} is made again`, (t) =>
    withServer(t, { channels }, async (server) => {
      const message = await server.as("hamlet").send("lobby", "said")
      const queue = await server.queue("iago")
      const { begun, release } = heldUp(server)
      const id = await wanted(server)
      await begun
      await end(server)
      release()
      const { export_url } = await ended(server, id, 5 * second)
      t.strictSame(
        listedIn(await fetched(export_url), "messages").map((each) => each["id"]),
        [message],
      )
      await until("what the first attempt wrote is gone", 10_000, () => kept(server).length === 1)
      const told = (await server.resume("iago", queue).rest()).filter(({ type }) => type === "realm_export")
      t.equal(told.length, 2, "it ended once")
      t.strictSame(await server.rows("select id from outbox where kind = 'realm export'"), [])
    }),
  )

t.test("the claim of one that takes long is renewed", (t) =>
  withServer(t, { channels }, async (server) => {
    const waits = t.capture(server.clock, "after", server.clock.after)
    const waitsFor = (ms: number) => waits.calls.filter(({ args }) => args[0] === ms).length
    const { begun, release } = heldUp(server)
    const id = await wanted(server)
    await begun
    const [claim, renewal] = [60 * second, 20 * second]
    t.equal(waitsFor(renewal), 1)
    // Many times as long as a claim.
    for (let n = 1; n <= 23; n++) {
      server.clock.advance(renewal)
      await until("the attempt waits for its next renewal", 10_000, () => waitsFor(renewal) === n + 1)
      const rows = await server.rows("select attempts, next_at from outbox where claim is not null")
      t.strictSame(rows, [{ attempts: 1, next_at: server.clock.now() + claim }])
    }
    release()
    const { failed_timestamp } = await ended(server, id)
    t.equal(failed_timestamp, null)
    t.equal(kept(server).length, 1)
  }),
)

t.test("one that cannot be made has failed after some attempts", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("hamlet").send("lobby", "said")
    server.faults.failQueries("octet_length(m.content)")
    const id = await wanted(server)
    await until("it has failed", 30_000, async () => {
      // Only between two attempts: the claim of one that is under way would end by such a leap.
      const rows = await server.rows("select claim is null as is_waiting from outbox where kind = 'realm export'")
      if (rows[0]?.["is_waiting"] === true) server.clock.advance(60 * second)
      return rows.length === 0
    })
    const failed = await ended(server, id)
    t.match(failed, { pending: false, export_url: null, deleted_timestamp: null, failed_timestamp: Number })
    t.equal(server.faults.failed, 15, "each of five attempts asks three times")
    await until("nothing of it is left", 10_000, () => kept(server).length === 0)
    const answer = await server.as("iago").delete(`/export/realm/${id}`)
    t.match(answer, { status: 400, body: { msg: "Export failed, nothing to delete" } })
    server.faults.flow()
    const next = await ended(server, await wanted(server))
    await fetched(next["export_url"])
    t.equal((await exportsOf(server)).length, 2)
  }),
)

t.test("a read that fails once does not fail what was made so far", (t) =>
  withServer(t, { channels }, async (server) => {
    await server.as("hamlet").send("lobby", "said")
    for (const [n, part] of ["octet_length(m.content)", "attachment_message where realm_id"].entries()) {
      server.faults.failQueries(part, 2)
      // No time goes by, so there is no second attempt.
      const { export_url } = await ended(server, await wanted(server))
      t.equal(server.faults.failed, 2 * (n + 1), part)
      t.equal(listedIn(await fetched(export_url), "messages").length, 1)
    }
  }),
)

t.test("messages are counted up to a number", (t) =>
  withServer(t, { channels: [...channels, { name: "den", users: ["hamlet"], isPrivate: true }] }, async (server) => {
    for (let n = 0; n < 4; n++) await server.as("hamlet").send("lobby", `${n}`)
    await server.as("hamlet").send("den", "one")
    const { realm } = server.realm
    const ids = [...realm.channels.values()].filter(({ is_private }) => !is_private).map(({ id }) => id)
    const count = (of: typeof ids | null, most: number) =>
      server.run(Effect.flatMap(UserReads, (reads) => countMessages(reads.begin("a test"), realm.id, of, most)))
    t.equal(await count(ids, 100), 4)
    t.equal(await count(null, 100), 5)
    t.ok((await count(ids, 3)) > 3)
    t.equal(await count([], 3), 0)
  }),
)
