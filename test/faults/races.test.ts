/**
 * Races that only PostgreSQL shows, because PGlite has one session: a second connection that commits in between (I6),
 * and connections that are cut, or whose backend ends, in the middle of a statement (I8). The proxy stands between the
 * server and its database; the second connection goes past it.
 */
import t, { type Test } from "tap"
import { addRows, removeSteps } from "../../src/chat/channels/subscriptions/subscription-steps.ts"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import type { SqlCall } from "../../src/events/command.ts"
import { startProxy } from "../../src/testing/fault-proxy.ts"
import { openElsewhere } from "../kit/elsewhere.ts"
import { emit, emitArgs, further } from "../kit/further.ts"
import { testDatabase } from "../kit/lent-database.ts"
import { findOrphans } from "../kit/orphans.ts"
import { adminUrl, openLayer, until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello"] },
  { name: "secret", users: ["hamlet", "cordelia"], isPrivate: true },
] as const

/** A server that reaches its database through a proxy, and a second connection to the same database. */
const arrange = async (t: Test, body: (scene: Scene) => Promise<void>): Promise<void> => {
  const lent = await testDatabase(t, further.sql)
  if (lent.database.kind !== "postgres") throw new Error("this needs PostgreSQL")
  const direct = new URL(lent.database.url)
  const proxy = await startProxy(direct.hostname, Number(direct.port))
  t.teardown(() => proxy.close())
  const through = new URL(direct)
  through.hostname = "127.0.0.1"
  through.port = String(proxy.port)
  const database = { kind: "postgres", url: through.href } as const
  await withServer(t, { channels, further, config: { database } }, async (server) => {
    const elsewhere = await openElsewhere(t, server, direct.href)
    const keeper = await openLayer(t, postgresLayer(direct.href, { size: 1 }))
    server.closeAfter(keeper.close)
    for (const { name } of channels) await server.as("cordelia").send(name, "first")
    /** Sessions of the server's that are at work on a commit, in this way. */
    const atWork = (how: string) =>
      elsewhere.number(
        `select count(*) as n from pg_stat_activity where datname = current_database() and state = 'active'
            and query like 'select commit_calls_v2(%' and ${how}`,
      )
    const hold = async (...then: ReadonlyArray<SqlCall>) => {
      await keeper.query("select pg_advisory_lock($1)", [gate])
      const committed = elsewhere.commit(wait, ...then)
      await until("somebody else holds the log's lock", 10_000, async () => (await atWork(atGate)) > 0)
      return async () => {
        await keeper.query("select pg_advisory_unlock($1)", [gate])
        await committed
      }
    }
    await body({
      server,
      proxy,
      elsewhere,
      hold,
      waiting: () => until("the commit waits for the lock", 10_000, async () => (await waiters(atWork)) > 0),
      atWork,
    })
    await until("no commit is at work any more", 20_000, async () => (await atWork("true")) === 0)
    t.same(await findOrphans(server), [], "I2")
  })
}
interface Scene {
  readonly server: TestServer
  readonly proxy: Awaited<ReturnType<typeof startProxy>>
  readonly elsewhere: Awaited<ReturnType<typeof openElsewhere>>
  /** A commit by the second connection takes the log's lock and holds it; answers a function that lets it finish. */
  readonly hold: (...then: ReadonlyArray<SqlCall>) => Promise<() => Promise<void>>
  /** Resolves when a commit waits for the log's lock. */
  readonly waiting: () => Promise<unknown>
  readonly atWork: (how: string) => Promise<number>
}
/** The advisory lock that `hold` waits for; any number that the program does not use. */
const gate = 77
const atGate = "wait_event = 'advisory'"
const forLog = "wait_event_type = 'Lock' and wait_event <> 'advisory'"
const waiters = (atWork: Scene["atWork"]) => atWork(forLog)
const sleepers = (atWork: Scene["atWork"]) => atWork("wait_event = 'PgSleep'")

const toSecret = (content: string) => ({ type: "channel", to: "secret", topic: "t", content })
const wait: SqlCall = { fn: "test_emit_v1", args: emitArgs({ type: "test_wide", payload: {}, gate }) }

/** Takes hamlet out of the private channel, or back in, as the server itself would write it. */
const turn = ({ server: { realm, idOf } }: Scene, way: "out" | "in"): SqlCall => {
  const channel = realm.realm.findChannelByName("secret")
  const user = realm.realm.users.get(idOf("hamlet"))
  if (channel === undefined || user === undefined) throw new Error("the scene is not set")
  return way === "out"
    ? { fn: "run_steps_v1", args: { steps: removeSteps(realm.realm, channel, [user]) } }
    : {
        fn: "run_steps_v1",
        args: { steps: addRows(realm.realm, channel, [user], { isNew: false, given: new Map() }) },
      }
}
const countOf = ({ elsewhere }: Scene, content: string) =>
  elsewhere.number(`select count(*) as n from message where content = '${content}'`)

const rights = async (t: Test) => {
  await t.test("I6: a right that is lost while the commit waits for the lock no longer counts", (t) =>
    arrange(t, async (scene) => {
      const { server, hold, waiting } = scene
      const release = await hold(turn(scene, "out"))
      const wished = server.as("hamlet").post("/messages", toSecret("contested"))
      // The send was judged already, while the server still saw hamlet as subscribed.
      await waiting()
      await release()
      t.match(await wished, { status: 400, body: { code: "STREAM_DOES_NOT_EXIST" } })
      t.equal(await countOf(scene, "contested"), 0)
    }),
  )

  await t.test("I6: a right that another connection grants and takes away again and again", (t) =>
    arrange(t, async (scene) => {
      const { server, elsewhere } = scene
      const reader = await server.queue("cordelia", { event_types: ["message"] })
      const told = { 200: 0, 400: 0 }
      let running = true
      // These commits find that they are stale, so the server catches up with the log; refused sends commit nothing.
      const noise = async () => {
        while (running) await server.as("othello").send("lobby", "noise")
      }
      const sending = [0, 1, 2].map(async (sender) => {
        for (let n = 0; running; n++) {
          const { status } = await server.as("hamlet").post("/messages", toSecret(`${sender} ${n}`))
          if (status === 200 || status === 400) told[status]++
          else t.fail(`a send was answered ${status}`)
        }
      })
      const noising = noise()
      for (let n = 0; n < 20; n++) {
        const before = { ...told }
        await elsewhere.commit(turn(scene, n % 2 === 0 ? "out" : "in"))
        const status = n % 2 === 0 ? 400 : 200
        await until("the server has noticed", 10_000, () => told[status] > before[status] + (n % 3))
      }
      running = false
      await Promise.all([...sending, noising])
      t.comment(told)
      t.ok(told[200] > 10 && told[400] > 10)
      t.equal(
        await elsewhere.number(
          `select count(*) as n from message m join channel c on c.id = m.channel_id and c.name = 'secret'
            where not exists (select from subscription_span s
              where s.channel_id = m.channel_id and s.user_id = m.sender_id
                and s.opened <= m.id and (s.closed is null or m.id < s.closed))`,
        ),
        0,
        "nothing was sent at a position at which the sender was not in the channel",
      )
      await server.as("cordelia").send("lobby", "last")
      const sent = await server.rows("select id from message where id > $1 order by id", [
        Math.floor(reader.lastId / 65536),
      ])
      t.same(
        (await reader.take(sent.length)).map(({ id }) => id / 65536),
        sent.map(({ id }) => id),
        "what was sent is received, in order",
      )
    }),
  )
}

const cuts = async (t: Test) => {
  await t.test(
    "I8: the connection is cut while the commit waits for the lock: it is done later, and the sender is told so",
    (t) =>
      arrange(t, async (scene) => {
        const { server, proxy, hold, waiting } = scene
        const release = await hold()
        const sent = server.as("hamlet").post("/messages", toSecret("cut"))
        await waiting()
        proxy.cut()
        await release()
        t.match(await sent, { status: 200, body: { id: Number } })
        t.equal(await countOf(scene, "cut"), 1)
      }),
  )

  await t.test(
    "I8: the session is ended while the commit waits for the lock: the commit is void, and the sender is told 503",
    (t) =>
      arrange(t, async (scene) => {
        const { server, elsewhere, hold, waiting } = scene
        const release = await hold()
        const sent = server.as("hamlet").post("/messages", toSecret("ended"))
        await waiting()
        await elsewhere.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and ${forLog}`,
        )
        await release()
        t.equal((await sent).status, 503)
        t.equal(await countOf(scene, "ended"), 0)
        t.equal(await elsewhere.number("select count(*) as n from commit_outcome where outcomes is null"), 1)
      }),
  )

  await t.test(
    "I2, I8: the session is ended after the first row of a commit was written: nothing of the commit is left",
    (t) =>
      arrange(t, async (scene) => {
        const { server, elsewhere, atWork } = scene
        const head = await elsewhere.head()
        const rows = [
          emit(server, { type: "test_wide", payload: { name: "written" } }),
          emit(server, { type: "test_wide", payload: { name: "sleeping" }, seconds: 30 }),
        ]
        const told = Promise.allSettled(rows)
        await until("it sleeps between two rows", 10_000, async () => (await sleepers(atWork)) > 0)
        await elsewhere.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event = 'PgSleep'`,
        )
        t.match(await told, [
          { status: "rejected", reason: { _tag: "Unavailable" } },
          { status: "rejected", reason: { _tag: "Unavailable" } },
        ])
        t.equal(await elsewhere.head(), head)
      }),
  )

  await t.test("I8: the answer to a commit is lost: the server finds out that it is done", (t) =>
    arrange(t, async (scene) => {
      const { server, proxy } = scene
      // A statement that a connection has not prepared needs an answer first: all eight are to have prepared it.
      for (let n = 0; n < 16; n++) await server.as("cordelia").send("lobby", `prepared ${n}`)
      proxy.stall("answers")
      const sent = server.as("hamlet").post("/messages", toSecret("answer lost"))
      await until("it is committed", 10_000, async () => (await countOf(scene, "answer lost")) === 1)
      proxy.cut()
      proxy.resume()
      const { status, body } = await sent
      t.equal(status, 200)
      t.same(await server.rows("select id from message where content = 'answer lost'"), [{ id: body["id"] }])
    }),
  )

  await t.test("I8: the statement of a commit is lost: the server finds out that it is void", (t) =>
    arrange(t, async (scene) => {
      const { server, proxy } = scene
      proxy.stall("requests")
      const sent = server.as("hamlet").post("/messages", toSecret("statement lost"))
      await until("it is on its way", 10_000, () => server.realm.writer.busy())
      proxy.cut()
      proxy.resume()
      t.equal((await sent).status, 503)
      t.equal(await countOf(scene, "statement lost"), 0)
    }),
  )

  await t.test("I8: 12 cuts in the middle of statements: every answer is true, and queues miss nothing", (t) =>
    arrange(t, async (scene) => {
      const { server, proxy, elsewhere } = scene
      const reader = await server.queue("cordelia", { event_types: ["message"] })
      const told = new Map<string, number | "not done" | "nobody knows">()
      let running = true
      const sending = [0, 1, 2, 3].map(async (sender) => {
        for (let n = 0; running; n++) {
          const content = `${sender} ${n}`
          const answer = await server
            .as("hamlet")
            .post("/messages", toSecret(content))
            .catch(() => null)
          if (answer === null) told.set(content, "nobody knows")
          else if (answer.status === 200) told.set(content, Number(answer.body["id"]))
          else if (answer.status === 503) told.set(content, "not done")
          else t.fail(`a send was answered ${answer.status}`)
        }
      })
      const done = () => [...told.values()].filter((outcome) => typeof outcome === "number").length
      for (let cut = 0; cut < 12; cut++) {
        const before = done()
        await until("sends succeed between cuts", 20_000, () => done() > before + (cut % 4))
        proxy.cut()
      }
      running = false
      await Promise.all(sending)
      const stands = new Map(
        (await elsewhere.query("select content, id from message")).map((row) => [row["content"], row["id"]]),
      )
      const lies = [...told].filter(([content, outcome]) =>
        outcome === "not done" ? stands.has(content) : outcome !== "nobody knows" && stands.get(content) !== outcome,
      )
      t.same(lies, [])
      t.comment(`${done()} done of ${told.size}`)
      t.equal(
        await elsewhere.number("select count(*) - count(distinct content) as n from message where content <> 'first'"),
        0,
      )
      const last = await server.as("cordelia").send("lobby", "last")
      const sent = await elsewhere.query(
        "select id from message where id <= $1 and content not in ('first') order by id",
        [last],
      )
      await reader.until(({ id }) => id === last * 65536)
      t.same(
        reader.events.map(({ id }) => id / 65536),
        sent.map(({ id }) => id),
      )
    }),
  )
}

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
t.test("rights and a second connection", { skip }, rights)
t.test("connections cut in mid-statement", { skip }, cuts)
