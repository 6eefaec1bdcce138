/** The demo organization of development mode: made whole, whenever and however often its making was stopped. */
import { randomInt } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t, { type Test } from "tap"
import { demoAccounts, demoPassword } from "../../../src/chat/setup/demo.ts"
import { Database, type DatabaseShape } from "../../../src/db/database.ts"
import { DatabaseUnusable } from "../../../src/db/failures.ts"
import { openMigratedDatabase } from "../../../src/db/open.ts"
import { Unavailable } from "../../../src/errors.ts"
import { commitSql } from "../../../src/events/log-commit.ts"
import { request } from "../../kit/client.ts"
import { manualClock } from "../../kit/manual-clock.ts"
import { makeFlags, originOf, Program, signIn } from "../../kit/program.ts"
import { pluck, recordsIn } from "../../kit/records.ts"
import { createDatabase, openLayer } from "../../kit/test-database.ts"
import { startTestApp, testConfig } from "../../kit/with-server.ts"

/** Everything that development mode promises of a new database is there, once. */
const isComplete = async (t: Test, port: number): Promise<void> => {
  const owner = await signIn(port, "owner")
  const { members } = await owner.must.get("/users")
  t.same(
    pluck(members, "email"),
    demoAccounts.map(({ email }) => email),
  )
  const { streams } = await owner.must.get("/streams", { include_all: true })
  t.same(
    recordsIn(streams).map(({ name, subscriber_count }) => [name, subscriber_count]),
    [
      ["announcements", 6],
      ["general", 6],
      ["leads", 3],
    ],
  )
  const seen = async (name: string) => {
    const page = { anchor: "oldest", num_before: 0, num_after: 100 }
    return pluck((await (await signIn(port, name)).must.get("/messages", page))["messages"], "content")
  }
  for (const [name, count] of [
    ["owner", 6],
    ["moderator", 7],
    ["guest", 6],
    ["member", 5],
  ] as const) {
    const contents = await seen(name)
    t.equal(contents.length, count, `${name} sees ${count} messages`)
    t.equal(new Set(contents).size, count, "each once")
  }
  const password = { username: "member@demo.example", password: demoPassword }
  t.equal((await request(originOf(port), "POST", "/fetch_api_key", password)).status, 200)
}

t.test("the demo organization is whole after kills at any moment of its making", async (t) => {
  const began = performance.now()
  const first = new Program(t, (await makeFlags(t))(0))
  const port = await first.port()
  // The first half of a start is spent before there is a database to write to.
  const whole = Math.round(performance.now() - began)
  await isComplete(t, port)
  await first.kill()
  for (let round = 0; round < 2; round++) {
    const flags = await makeFlags(t)
    const delay = randomInt(Math.round(whole / 2), whole)
    const killed = new Program(t, flags(0))
    await new Promise((resolve) => setTimeout(resolve, delay))
    await killed.kill()
    const next = new Program(t, flags(0))
    t.comment(`killed after ${delay} ms of ${whole}, ${killed.out === "" ? "before" : "after"} it listened`)
    await isComplete(t, await next.port())
    await next.kill()
  }
})

t.test("the demo organization is whole, whichever commit its making was stopped after", async (t) => {
  const config = testConfig(await createDatabase(t), { config: { mode: "development" } })
  const { database } = await openLayer(t, openMigratedDatabase(config.database))
  const clock = manualClock()
  const onForeign = () => t.fail("nobody else has the database")
  const start = (commits: number) => {
    let left = commits
    const stopped = Effect.fail(new Unavailable({ reason: "the test has stopped it" }))
    const limited: DatabaseShape = {
      ...database,
      write: (sql, parameters) =>
        Effect.suspend((): ReturnType<DatabaseShape["write"]> => {
          const stops = sql === commitSql && left-- === 0
          return stops ? stopped : database.write(sql, parameters)
        }),
    }
    const layer = Layer.succeed(Database, limited)
    return startTestApp({ config, clock, commitTime: () => clock.now(), onForeign, database: layer }).catch(
      (error: unknown) => {
        if (!(error instanceof DatabaseUnusable)) throw error
        return null
      },
    )
  }
  const made = demoAccounts.length + 3
  for (let starts = 0; starts < 50; starts++) {
    // Of what is there nothing is committed again but the messages: those are sent as retries of themselves.
    const served = await start(starts === 0 ? 0 : Math.max(1, starts - made))
    if (served === null) continue
    t.teardown(served.stop)
    t.equal(starts, made + 7, "one more start for each account, channel and message")
    return isComplete(t, served.app.server.port)
  }
  t.fail("it never started")
})
