/** Work on one organization that two processes could do at once: long commands, and thumbnails. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import t from "tap"
import { thumbnailsJob } from "../../../src/chat/changing/thumbnails/thumbnail-work.ts"
import { bulkJob } from "../../../src/chat/ground/bulk/bulk.ts"
import { Pictures } from "../../../src/chat/ground/images/process/uploaded-pictures.ts"
import { roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { Jobs } from "../../../src/jobs/jobs.ts"
import { untilRun, workOf } from "../../kit/jobs.ts"
import { pluck } from "../../kit/records.ts"
import { basic } from "../../kit/rows.ts"
import { plainPicture } from "../../kit/some-pictures.ts"
import { until } from "../../kit/test-database.ts"
import { uploaded } from "../../kit/uploads.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"

const patience = 20_000

/** The cast are the first seven of so many people. */
const addPeople = async (servers: ReadonlyArray<TestServer>, count: number): Promise<ReadonlyArray<number>> => {
  const [server] = servers
  const ids = "generate_series(8, $1::integer) as each"
  await server?.rows(
    `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
      select 1, each, 'u' || each || '@test.example', 'u' || each || '@test.example', 'u' || each, 0 from ${ids}`,
    [count],
  )
  await server?.rows(
    `insert into role_span (realm_id, user_id, role, opened) select 1, each, $2::integer, 0 from ${ids}`,
    [count, roles.member],
  )
  for (const each of servers) await each.restart()
  return Array.from({ length: count }, (_, index) => index + 1)
}

t.test("a long command stays with its process; who lost it answers when another has finished it", (t) =>
  withServers(t, 2, { channels: [{ name: "all", users: ["iago"] }] }, async (servers) => {
    const [one, two] = servers
    if (one === undefined || two === undefined) return
    const count = 6000
    const people = await addPeople(servers, count)
    const progress = async () => (await two.rows("select done, claimed_by from unfinished_work"))[0]
    let status = 0
    const asked = one
      .as("iago")
      .post("/users/me/subscriptions", { subscriptions: [{ name: "all" }], principals: people })
      .then((answer) => {
        status = answer.status
      })
    await until("it is in the middle", patience, async () => (await progress()) !== undefined)
    one.faults.stall()
    // What is on its way already arrives.
    let before: unknown = null
    const working = `select from pg_stat_activity
      where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`
    await until("it stands", patience, async () => {
      const found = (await progress())?.["done"]
      const isSame = found === before
      before = found
      await two.rows("select pg_sleep(0.1)")
      return isSame && (await two.rows(working)).length === 0 && (await progress())?.["done"] === found
    })
    t.ok(Number(before) < count - 1000, `${before} are done`)
    const first = one.database.cluster?.process
    await untilRun(workOf(two), bulkJob, () => two.clock.advance(10_000))
    t.match(await progress(), { done: before, claimed_by: first }, "the other leaves it alone")

    two.faults.failCommits("done", "late")
    two.faults.settling = "lost"
    await untilRun(workOf(two), bulkJob, () => two.clock.advance(30_000))
    await until("another goes on, and is held up", patience, () => {
      two.clock.advance(10)
      return two.faults.onTheWay === 1
    })
    t.match(await progress(), { done: Number(before) + 500, claimed_by: two.database.cluster?.process })
    one.faults.flow()
    const looks = one.database.statements()
    await until("the first has looked whether it is done", patience, () => {
      one.clock.advance(500)
      return one.database.statements() > looks + 20
    })
    t.equal(status, 0, "and does not answer yet")
    await two.faults.arrive()
    two.faults.settling = "answered"
    await until("it is answered", patience, () => {
      for (const { clock } of servers) clock.advance(100)
      return status !== 0
    })
    await asked
    t.equal(status, 200)
    t.equal(await progress(), undefined)
    const { realm } = one.realm
    t.equal([...realm.subscribers(realm.findChannelByName("all")?.id ?? fail())].length, count)
    const rows = await one.rows(
      `select a ->> 'user_id' as user from log, jsonb_array_elements(payload -> 'added') as a
        where type = 'subscription' and payload ->> 'op' = 'add'`,
    )
    const told = pluck(rows, "user")
    t.equal(new Set(told).size, told.length, "each is told once")
  }),
)

const fail = (): never => {
  throw new Error("there is no such channel")
}

const photo = await plainPicture(1000, 800).jpeg().toBuffer()

t.test("a picture's thumbnails are made by one process, and who waits for them at another gets them", (t) =>
  withServers(t, 1, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async ([one], join) => {
    if (one === undefined) return
    // The first has its decoder before the second starts, whose end would else take that for its own.
    await uploaded(one, "hamlet", { name: "first.jpg", type: "image/jpeg", bytes: photo })
    const isMade = async () => (await one.rows("select from thumbnail_work where made_at is not null")).length === 1
    await until("the first picture is done", patience, isMade)
    await one.rows("delete from thumbnail_work")
    const two = await join()
    const [held, begun] = [Deferred.makeUnsafe<null>(), Deferred.makeUnsafe<void>()]
    // Takes the place of the one picture at a time that the first process makes.
    const read = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(held))
    const over = one.run(Effect.flatMap(Pictures, ({ shrink }) => shrink("a test", read)))
    await Effect.runPromise(Deferred.await(begun))
    const url = await uploaded(one, "hamlet", { name: "a.jpg", type: "image/jpeg", bytes: photo })
    const work = async () => (await two.rows("select claimed_by, made_at from thumbnail_work"))[0]
    const first = one.database.cluster?.process
    await until("the first is at it", patience, async () => (await work())?.["claimed_by"] === first)
    let status = 0
    const path = `${url.replace("/user_uploads/", "/user_uploads/thumbnail/")}/840x560.webp`
    const fetching = fetch(`${two.origin}${path}`, {
      headers: { Authorization: basic(two.as("hamlet").account) },
    }).then(async (answer) => {
      status = answer.status
      await answer.arrayBuffer()
    })
    await untilRun(workOf(two), thumbnailsJob, () =>
      two.run(Jobs.use((jobs) => Effect.sync(() => jobs.wake(thumbnailsJob)))),
    )
    t.match(await work(), { claimed_by: first, made_at: null }, "the other leaves it alone")
    t.equal(status, 0, "and waits")
    Deferred.doneUnsafe(held, Effect.succeed(null))
    await over
    await until("it has it", patience, () => {
      two.clock.advance(100)
      return status !== 0
    })
    await fetching
    t.equal(status, 200)
    t.match(await work(), { claimed_by: null })
  }),
)
