/** Jobs that one of several processes is enough for, and what is done by one at a time. A process alone asks the database nothing. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import t from "tap"
import { lowerBotRolesJob } from "../../../src/chat/people/users/roles/lower-bot-roles.ts"
import { ServerCommands } from "../../../src/chat/server/commands/server-commands.ts"
import { pruneJob } from "../../../src/chat/server/runtime/runtime-jobs.ts"
import { postgresLayer } from "../../../src/db/postgres/postgres.ts"
import { JobRuns } from "../../../src/jobs/job-runs.ts"
import { untilRun, workOf } from "../../kit/jobs.ts"
import { openLayer, until } from "../../kit/test-database.ts"
import { type TestServer, withServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const channels = [{ name: "lobby", users: ["hamlet"] }] as const
const patience = 10_000

/** Begins a run of "a job" that lasts until `end`. */
const begin = async (server: TestServer) => {
  const begun = Deferred.makeUnsafe<void>()
  const ended = Deferred.makeUnsafe<void>()
  const work = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended))
  const run = server.run(JobRuns.use(({ once }) => once("a job", Effect.as(work, "done"))))
  await Effect.runPromise(Deferred.await(begun))
  return async () => {
    Deferred.doneUnsafe(ended, Effect.void)
    return run
  }
}

const tryOnce = (server: TestServer) => server.run(JobRuns.use(({ once }) => once("a job", Effect.succeed("done"))))

t.test("a run of one process keeps the others from it, as long as that lives", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    const end = await begin(one)
    t.equal(await tryOnce(two), null)
    const claimedUntil = async () =>
      Number((await two.rows("select until from job_run where name = 'a job'"))[0]?.["until"])
    for (let n = 0; n < 4; n++) {
      const before = await claimedUntil()
      one.clock.advance(10_000)
      two.clock.advance(10_000)
      await until("it is renewed", patience, async () => (await claimedUntil()) > before)
    }
    t.equal(await tryOnce(two), null, "it goes on")
    t.equal(await end(), "done")
    t.equal(await tryOnce(two), "done", "it is free when it has ended")

    const lasting = await begin(one)
    one.faults.die()
    t.equal(await tryOnce(two), null)
    two.clock.advance(31_000)
    t.equal(await tryOnce(two), "done", "soon after it was killed")
    await lasting()
    await one.faults.kill()
  }),
)

t.test("the jobs of the server are such runs, where there are several processes", (t) =>
  withServers(t, 2, { channels }, async ([one]) => {
    if (one === undefined) return
    await untilRun(workOf(one), pruneJob, () => one.clock.advance(15 * 60_000))
    const names = (await one.rows("select name from job_run where until = 0 order by name")).map(({ name }) => name)
    t.ok(names.includes(pruneJob.name) && names.includes(lowerBotRolesJob.name), `${names}`)
    await one.rows("update job_run set until = $1, process = 'another' where name = $2", [
      one.clock.now() + 3_600_000,
      pruneJob.name,
    ])
    await untilRun(workOf(one), pruneJob, () => one.clock.advance(15 * 60_000))
    t.match(await one.rows("select process from job_run where name = $1", [pruneJob.name]), [{ process: "another" }])
  }),
)

t.test("a process alone asks the database nothing", (t) =>
  withServer(t, { channels }, async (server) => {
    await untilRun(workOf(server), pruneJob, () => server.clock.advance(15 * 60_000))
    t.same(await server.rows("select from job_run"), [])
  }),
)

t.test("commands of operators are done one after the other, by whomever", (t) =>
  withServers(t, 2, { channels }, async ([one, two]) => {
    if (one === undefined || two === undefined) return
    let [atWork, most, done] = [0, 0, 0]
    const work = Effect.gen(function* () {
      most = Math.max(most, ++atWork)
      yield* Effect.promise(() => one.rows("select pg_sleep(0.02)"))
      atWork--
      done++
    })
    const all = [one, two, one, two].map((server) => server.run(ServerCommands.use(({ inTurn }) => inTurn(work))))
    await until("all are done", patience, () => {
      two.clock.advance(100)
      one.clock.advance(100)
      return done === 4
    })
    await Promise.all(all)
    t.equal(most, 1)
  }),
)

t.test("while one process writes the index of words, no other renews or indexes words", (t) =>
  withServers(t, 1, { channels }, async ([one]) => {
    if (one === undefined) return
    const { database } = one.config
    const other = await openLayer(t, postgresLayer(database.kind === "postgres" ? database.url : "", { size: 1 }))
    await other.query("begin")
    await other.query("select index_messages_v3(1, 16, 6400)")
    t.match(await one.rows("select renew_words_v1(1, 16, 6400) as n, index_messages_v3(1, 16, 6400) as m"), [
      { n: -1, m: -1 },
    ])
    await other.query("commit")
    t.match(await one.rows("select renew_words_v1(1, 16, 6400) as n"), [{ n: 0 }])
    await other.close()
  }),
)
