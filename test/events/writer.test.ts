/**
 * The writer, on a database that fails at chosen commits: requesters get true answers (I8), a command takes effect only
 * under rules that hold at its position (I6), and a command that fails does not fail others. What needs real
 * connections and a second session is tested in faults/races.test.ts, commits that overlap in writing/overlap.test.ts, too.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t, { type Test } from "tap"
import { badRequest } from "../../src/api/errors.ts"
import { OutcomeUncertain } from "../../src/db/database.ts"
import { type Command, call, done, refused } from "../../src/events/command.ts"
import type { RealmFeed } from "../../src/events/feed.ts"
import { alone } from "../../src/events/peers/peers.ts"
import { makeWriter } from "../../src/events/writer.ts"
import { RealmId, WireId } from "../../src/ids.ts"
import type { CommitFate, DatabaseFaults } from "../../src/testing/database-faults.ts"
import { ask, type Told } from "../kit/at-once.ts"
import { openElsewhere } from "../kit/elsewhere.ts"
import { emit, emitCommand, further, positionIn } from "../kit/further.ts"
import { manualClock } from "../kit/manual-clock.ts"
import { findOrphans } from "../kit/orphans.ts"
import { until } from "../kit/test-database.ts"
import { type ChannelSetup, type Name, type ServerSetup, type TestServer, withServer } from "../kit/with-server.ts"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello"] },
  { name: "secret", users: ["desdemona", "hamlet", "cordelia"], isPrivate: true },
  { name: "den", users: ["hamlet"], isPrivate: true },
]

/** A server whose channels have their first message, so that sends do not change the rules. */
const withFaults = async (
  t: Test,
  body: (server: TestServer, faults: DatabaseFaults) => Promise<void>,
  setup: Partial<ServerSetup> = {},
): Promise<void> => {
  await withServer(t, { channels, further, ...setup }, async (server) => {
    const { faults } = server
    await server.as("hamlet").send("lobby", "first")
    await server.as("hamlet").send("secret", "first")
    faults.commits.length = 0
    await body(server, faults)
    t.same(await findOrphans(server), [], "I2")
  })
}

const message = (channel: string, content: string, fields = {}) => ({
  type: "channel",
  to: channel,
  topic: "t",
  content,
  ...fields,
})
const send = (server: TestServer, name: Name, channel: string, content: string) =>
  ask(server, name, "POST /messages", message(channel, content))
const deactivate = (server: TestServer, name: Name) =>
  ask(server, "desdemona", "DELETE /users/{user_id:int}", { user_id: server.idOf(name) })

const countOf = async (server: TestServer, content: string): Promise<unknown> =>
  (await server.rows("select count(*) as n from message where content = $1", [content]))[0]?.["n"]
const reasonOf = (told: Told) => (told.told === "refused" ? `${told.error.code} ${told.error.msg}` : told.told)

t.test("I8: a commit whose answer was lost is settled by its id, and its requesters get their answers", (t) =>
  withFaults(t, async (server, faults) => {
    const reader = await server.queue("cordelia", { event_types: ["message"] })
    faults.failCommits("lost")
    const [one, two] = await Promise.all([
      send(server, "hamlet", "lobby", "one"),
      send(server, "othello", "lobby", "two"),
    ])
    t.same(faults.commits, ["send_messages_v5*2"])
    t.match(one, { told: "done", data: { id: Number } })
    t.match(two, { told: "done", data: { id: Number } })
    const read = await reader.take(2)
    t.match(read, [
      { message: { content: "one", ...(one.told === "done" ? one.data : {}) } },
      { message: { content: "two", ...(two.told === "done" ? two.data : {}) } },
    ])
    t.equal(await countOf(server, "one"), 1)
  }),
)

t.test("I8: 503 for a commit that had not arrived, which then never takes effect", (t) =>
  withFaults(t, async (server, faults) => {
    faults.failCommits("late")
    const answers = await Promise.all([
      server.as("hamlet").post("/messages", message("lobby", "late")),
      server.as("desdemona").post("/users/me/subscriptions", { subscriptions: [{ name: "late" }] }),
    ])
    const unavailable = answers.filter(({ status }) => status === 503)
    t.ok(unavailable.length > 0)
    t.match(unavailable[0]?.body, { result: "error", code: "SERVICE_UNAVAILABLE" })
    const before = await server.rows("select log_head_v1(1) as head")
    t.same(await faults.arrive(), ["void"])
    t.same(await server.rows("select log_head_v1(1) as head"), before)
    t.equal(await countOf(server, "late"), answers[0]?.status === 503 ? 0 : 1)
    t.type(await server.as("hamlet").send("lobby", "after"), "number")
  }),
)

t.test("I8: commands that come while a commit cannot be settled get 503, and the commit is settled in the end", (t) =>
  withFaults(t, async (server, faults) => {
    faults.failCommits("lost")
    faults.settling = "lost"
    const lost = send(server, "hamlet", "lobby", "lost")
    await until("the commit was sent", 10_000, () => faults.commits.length === 1)
    const later = await server.as("othello").post("/messages", message("lobby", "later"))
    t.equal(later.status, 503)
    faults.settling = "answered"
    const { told } = await lost
    t.equal(told, "done")
    t.equal(await countOf(server, "lost"), 1)
    t.equal(await countOf(server, "later"), 0)
    t.type(await server.as("othello").send("lobby", "after"), "number")
  }),
)

t.test("I8: connections are cut without an answer when a commit cannot be settled for 30 s", (t) =>
  withFaults(t, async (server, faults) => {
    const retry = message("lobby", "lost", { queue_id: "any", local_id: "1" })
    faults.failCommits("lost")
    faults.settling = "lost"
    const cut = t.rejects(server.as("hamlet").post("/messages", retry), "the connection is cut")
    await until("the server asks what became of it", 10_000, () => faults.settles > 0)
    server.clock.advance(29_999)
    t.ok(server.realm.writer.busy(), "the requester still waits")
    server.clock.advance(1)
    await cut
    faults.settling = "answered"
    const id = await until("it is settled", 10_000, () => !server.realm.writer.busy()).then(async () => {
      const { id } = await server.as("hamlet").must.post("/messages", retry)
      return id
    })
    t.same(
      await server.rows("select id from message where content = 'lost'"),
      [{ id }],
      "a retry learns that it was done",
    )
  }),
)

t.test("I8: 503 for a commit that was never sent", (t) =>
  withFaults(t, async (server, faults) => {
    faults.failCommits("unsent")
    const answer = await server.as("hamlet").post("/messages", message("lobby", "unsent"))
    t.match(answer, { status: 503, body: { code: "SERVICE_UNAVAILABLE", "retry-after": 1 } })
    t.equal(answer.headers.get("retry-after"), "1")
    t.equal(await countOf(server, "unsent"), 0)
    t.type(await server.as("hamlet").send("lobby", "after"), "number")
  }),
)

t.test("a batch with a call that PostgreSQL refuses is halved and judged again, and all other calls succeed", (t) =>
  withFaults(t, async (server, faults) => {
    const reader = await server.queue("cordelia", { event_types: ["message"] })
    const judged: Array<number> = []
    const poison = (n: number) => {
      const command = emitCommand({ type: "test_wide", payload: { name: "poison" }, refuse: `on purpose ${n}` })
      const judge: typeof command.judge = (realm) => {
        judged.push(n)
        return command.judge(realm)
      }
      return server.run(server.realm.writer.submit({ ...command, judge })).then(
        () => "done",
        (error: unknown) => String(error),
      )
    }
    const bad = new Set([3, 4, 17])
    const all = await Promise.all(
      Array.from({ length: 20 }, async (_, n) =>
        bad.has(n) ? poison(n) : (await send(server, "hamlet", "lobby", `number ${n}`)).told,
      ),
    )
    const good = all.filter((_, n) => !bad.has(n))
    t.equal(good.length, 17)
    t.ok(good.every((told) => told === "done"))
    for (const n of bad) t.match(all[n], /Rejected|on purpose/)
    t.ok(judged.filter((n) => n === 3).length > 2, "judged again with each half")
    const read = (await reader.take(17)).map((event) => event["message"])
    t.match(
      read,
      Array.from({ length: 20 }, (_, n) => n)
        .filter((n) => !bad.has(n))
        .map((n) => ({ content: `number ${n}` })),
      "each once, in the order of their requests",
    )
    t.ok(faults.commits.length < 20, `${faults.commits.length} commits, fewer than one by one`)
  }),
)

t.test("a command whose rules throw fails alone", (t) =>
  withFaults(t, async (server, faults) => {
    const throws = server.run(
      Effect.exit(
        server.realm.writer.submit({
          judge: () => {
            throw new Error("a bug in the rules")
          },
        }),
      ),
    )
    const [before, broken, after] = await Promise.all([
      send(server, "hamlet", "lobby", "before"),
      throws,
      send(server, "othello", "lobby", "after"),
    ])
    t.match([before.told, broken._tag, after.told], ["done", "Failure", "done"])
    t.same(faults.commits, ["send_messages_v5*2"])
  }),
)

t.test("batches: one commit in flight, at most 128 calls, ended by a call that may change rules", (t) =>
  withFaults(t, async (server, faults) => {
    const many = await Promise.all(
      Array.from({ length: 300 }, (_, n) => send(server, "hamlet", "lobby", `one of many ${n}`)),
    )
    t.ok(many.every(({ told }) => told === "done"))
    t.same(faults.commits.splice(0), ["send_messages_v5*128", "send_messages_v5*128", "send_messages_v5*44"])

    const long = "x".repeat(9_900)
    await Promise.all(Array.from({ length: 30 }, () => send(server, "hamlet", "lobby", long)))
    const sizes = faults.commits.splice(0).map((groups) => Number(groups.split("*")[1] ?? 1))
    t.ok(sizes.length > 1 && sizes.every((size) => size * 2 * long.length < 230 * 1024), `${sizes} sends of 20 KB each`)

    await Promise.all([
      send(server, "hamlet", "lobby", "before"),
      ask(server, "othello", "POST /users/me/subscriptions", { subscriptions: [{ name: "new" }] }),
      send(server, "hamlet", "lobby", "after"),
      ask(server, "othello", "DELETE /users/me/subscriptions", { subscriptions: ["new"] }),
    ])
    t.same(faults.commits, ["send_messages_v5 run_steps_v1", "send_messages_v5 run_steps_v1"])
  }),
)

interface Contest {
  readonly what: string
  readonly wish: (server: TestServer) => Promise<Told>
  /** Takes the right away. */
  readonly take: (server: TestServer) => Promise<Told>
  readonly refused: RegExp
}

/** Each with people of its own, so that all can run on one server. */
const contests: ReadonlyArray<Contest> = [
  {
    what: "a send by one who is deactivated",
    wish: (server) => send(server, "cordelia", "lobby", "contested"),
    take: (server) => deactivate(server, "cordelia"),
    refused: /UNAUTHORIZED Account is deactivated/,
  },
  {
    what: "a send to a private channel that one leaves",
    wish: (server) => send(server, "hamlet", "secret", "contested"),
    take: (server) => ask(server, "hamlet", "DELETE /users/me/subscriptions", { subscriptions: ["secret"] }),
    refused: /STREAM_DOES_NOT_EXIST Channel 'secret' does not exist/,
  },
  {
    what: "a direct message to one who is deactivated",
    wish: (server) =>
      ask(server, "hamlet", "POST /messages", { type: "direct", to: [server.idOf("shiva")], content: "contested" }),
    take: (server) => deactivate(server, "shiva"),
    refused: /'shiva@test.example' is no longer using this organization/,
  },
  {
    what: "adding others to a private channel that one leaves",
    wish: (server) =>
      ask(server, "hamlet", "POST /users/me/subscriptions", {
        subscriptions: [{ name: "den" }],
        principals: [server.idOf("polonius")],
      }),
    take: (server) => ask(server, "hamlet", "DELETE /users/me/subscriptions", { subscriptions: ["den"] }),
    refused: /Unable to access channel/,
  },
  {
    what: "deactivating another as one who is deactivated",
    wish: (server) => ask(server, "iago", "DELETE /users/{user_id:int}", { user_id: server.idOf("othello") }),
    take: (server) => deactivate(server, "iago"),
    refused: /UNAUTHORIZED Account is deactivated/,
  },
]

/** Runs every contest; `meet` answers what the wish and the taking came to. */
const contest = (
  t: Test,
  meet: (server: TestServer, faults: DatabaseFaults, contest: Contest) => Promise<readonly [wished: Told, taken: Told]>,
  outcome: "refused" | "done",
) =>
  withFaults(t, async (server, faults) => {
    for (const each of contests) {
      const [wished, taken] = await meet(server, faults, each)
      t.equal(taken.told, "done")
      if (outcome === "done") t.equal(wished.told, "done", each.what)
      else t.match(reasonOf(wished), each.refused, each.what)
    }
    const written = await server.rows("select count(*) as n from message where content = 'contested'")
    t.equal(written[0]?.["n"], outcome === "done" ? 3 : 0)
    t.equal(server.realm.realm.isActive(server.idOf("othello")), outcome === "refused")
  })

t.test("I6: a permission that is lost in the same turn of the loop counts as lost", (t) =>
  contest(
    t,
    async (server, _faults, { wish, take }) => {
      const [taken, wished] = await Promise.all([take(server), wish(server)])
      return [wished, taken]
    },
    "refused",
  ),
)

t.test("I6: a request that comes earlier in the same turn still has the permission", (t) =>
  contest(t, (server, _faults, { wish, take }) => Promise.all([wish(server), take(server)]), "done"),
)

t.test("I6: a permission that is lost in the commit in flight counts as lost", (t) =>
  contest(
    t,
    async (server, faults, { wish, take }) => {
      faults.commits.length = 0
      const taking = Promise.all([emit(server, { type: "test_wide", payload: {}, seconds: 0.1 }), take(server)])
      await until("the commit is in flight", 10_000, () => faults.commits.length === 1)
      const wished = await wish(server)
      return [wished, (await taking)[1]]
    },
    "refused",
  ),
)

t.test("I6: a permission that another process took away counts as lost: the commit is stale and judged again", (t) =>
  withFaults(t, async (server, faults) => {
    const elsewhere = await openElsewhere(t, server)
    for (const { what, wish, take, refused } of contests) {
      // The server's own commit does not happen; another program commits the same call instead.
      faults.failCommits("late")
      t.equal((await take(server)).told, "unavailable")
      const calls = faults.heldUp()
      t.same(await faults.arrive(), ["void"])
      await elsewhere.commit(...calls)
      t.ok(server.realm.feed.position < (await elsewhere.head()), "the server has not seen it")
      const wished = await wish(server)
      t.match(reasonOf(wished), refused, what)
      t.equal(server.realm.feed.position, await elsewhere.head())
    }
    t.equal(await countOf(server, "contested"), 0)
  }),
)

t.test("I6: a command succeeds though unrelated rules change again and again", (t) =>
  withFaults(t, async (server, faults) => {
    const elsewhere = await openElsewhere(t, server)
    for (let n = 0; n < 5; n++) {
      const args = { type: "test_wide", rules: true, payload: {}, audience: { kind: "servers" }, width: 1 }
      const { outcomes } = await elsewhere.commit({ fn: "test_emit_v1", args })
      faults.commits.length = 0
      t.match(await send(server, "hamlet", "lobby", "allowed"), {
        told: "done",
        data: { id: positionIn(outcomes[0]) + 1 },
      })
      t.same(faults.commits, ["send_messages_v5", "send_messages_v5"], "stale once, then done")
    }
  }),
)

t.test("a server whose database was taken over by another server writes nothing and ends", (t) => {
  let told = 0
  return withFaults(
    t,
    async (server) => {
      await server.rows("update realm_lock set holder = 'another server'")
      const answer = await server.as("hamlet").post("/messages", message("lobby", "too late"))
      t.equal(answer.status, 503)
      t.equal(told, 1)
      t.equal(await countOf(server, "too late"), 0)
    },
    { onForeign: () => void told++ },
  )
})

/** A writer by itself: `answer` is the database, asked with the calls of each commit; undefined: they are done. */
const loneWriter = (
  t: Test,
  answer: (calls: string, n: number) => Effect.Effect<never, OutcomeUncertain> | undefined,
  feed: Partial<RealmFeed>,
) => {
  const commits: Array<string> = []
  const defects: Array<string> = []
  const writer = makeWriter({
    realm: RealmId(1),
    database: {
      kind: "postgres",
      query: () => Effect.die("not asked"),
      read: () => Effect.die("not asked"),
      snapshot: () => Effect.die("not asked"),
      readsAtOnce: 1,
      write: (_sql, [, , , commit, calls] = []) => {
        const text = String(calls)
        const n = commits.push(text)
        const groups: ReadonlyArray<{ readonly calls: ReadonlyArray<unknown> }> = JSON.parse(text)
        const outcomes = groups.flatMap((group) => group.calls)
        const done = Effect.succeed([{ answer: JSON.stringify({ commit, state: "done", outcomes, head: 0 }) }])
        return answer(text, n) ?? done
      },
      up: () => true,
      statements: () => commits.length,
      holder: "h",
      durability: { lostNothing: false, isCopy: false, begin: Effect.void },
    },
    projection: {},
    peers: alone,
    feed: {
      position: 0,
      newestId: WireId(-1),
      isStuck: false,
      advance: () => true,
      catchUp: () => Effect.void,
      ...feed,
    },
    clock: manualClock(),
    commitTime: () => 0,
    onForeign: () => t.fail("nobody took over"),
    onLostLog: () => t.fail("nothing was lost"),
    logDefect: (what) => defects.push(what),
  })
  /** How a command named so ends: by its own name where it is done. */
  const submit = (name: string, rules = false, more: Partial<Command<object, string>> = {}) =>
    Effect.runPromise(
      Effect.exit(writer.submit({ judge: () => call("f", { name }, rules, () => done(name)), ...more })),
    ).then((exit) => (Exit.isSuccess(exit) ? exit.value : Cause.pretty(exit.cause)))
  return { writer, submit, commits, defects }
}

t.test("a commit that throws fails only the commands in it; waiting commands are committed and answered", async (t) => {
  // They were told 500 with it, and then committed all the same.
  const { submit, commits } = loneWriter(
    t,
    (_calls, n) => (n === 1 ? Effect.die(new Error("the driver fell over")) : undefined),
    {},
  )
  const [broken, behind, last] = await Promise.all([submit("broken", true), submit("behind", true), submit("last")])
  t.match(broken, /the driver fell over/)
  t.same([behind, last], ["behind", "last"])
  t.equal(commits.length, 3)
})

t.test("a command whose outcome cannot be read fails alone", async (t) => {
  const { submit, commits } = loneWriter(t, () => undefined, {})
  const throws = () => {
    throw new Error("unreadable")
  }
  const [before, broken, after] = await Promise.all([
    submit("before"),
    submit("broken", false, { judge: () => call("f", { name: "broken" }, false, throws) }),
    submit("after"),
  ])
  t.same([before, after], ["before", "after"])
  t.match(broken, /unreadable/)
  t.equal(commits.length, 1)
})

t.test("a command whose arguments are not JSON, or whose recall throws, fails alone", async (t) => {
  // Its neighbours got 500 with it, though nothing was wrong with them.
  const { submit, commits } = loneWriter(t, () => undefined, {})
  const refusal = () => refused(badRequest("no"))
  const throws = () => {
    throw new Error("no looking")
  }
  const [before, unwritable, unsought, after] = await Promise.all([
    submit("before"),
    submit("unwritable", false, { judge: () => call("f", { n: 1n }, false, () => done("")) }),
    submit("unsought", false, { judge: refusal, recall: throws }),
    submit("after"),
  ])
  t.same([before, after], ["before", "after"])
  t.match(unwritable, /BigInt/)
  t.match(unsought, /no looking/)
  t.equal(commits.length, 1)
})

t.test("commands that are committed get no error when the projection cannot follow", async (t) => {
  // 500 says that nothing was done.
  const advance = () => {
    throw new Error("cannot be applied")
  }
  const { submit } = loneWriter(t, () => undefined, { advance })
  const [one, two] = await Promise.all([submit("one"), submit("two")])
  t.match(one, /OutcomeUnknown/)
  t.match(two, /OutcomeUnknown/)
})

t.test("a database that was put back to an earlier state ends the server", async (t) => {
  // Positions would be given twice, and queues would pass over the new events as old ones.
  const reasons: Array<string> = []
  await withServer(t, { channels, onForeign: (why) => reasons.push(why) }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "lost")
    await server.as("hamlet").send("lobby", "lost too")
    await server.rows("delete from message where id >= $1", [id])
    await server.rows("delete from log where position >= $1", [id])
    await server.as("hamlet").post("/messages", message("lobby", "again"))
    t.match(reasons, [/earlier state/])
  })
})

t.test("a server that stops does not wait for a commit that cannot be settled", async (t) => {
  // Its process never ended while the database was away.
  const away = () => Effect.fail(new OutcomeUncertain({ reason: "away" }))
  const { writer, submit } = loneWriter(t, away, {})
  const answer = submit("unsettled")
  writer.stop()
  t.match(await answer, /OutcomeUnknown/)
})

t.test(
  "commits that overlap: both are answered, delivered in order and told apart, whatever becomes of the second",
  (t) =>
    withFaults(t, async (server, faults) => {
      const reader = await server.queue("cordelia", { event_types: ["message"] })
      const retry = message("lobby", "once", { queue_id: "any", local_id: "1" })
      /** `first` is in flight, and `second` waits for its answer; then the second commit has this fate. */
      const meet = async (fate: CommitFate) => {
        faults.commits.length = 0
        faults.failCommits("done", fate)
        const first = Promise.all([
          emit(server, { type: "test_wide", payload: {}, seconds: 0.1 }),
          ask(server, "hamlet", "POST /messages", retry),
        ])
        await until("the first commit is in flight", 10_000, () => faults.commits.length === 1)
        const [again, second] = await Promise.all([
          ask(server, "hamlet", "POST /messages", retry),
          send(server, "othello", "lobby", `second ${fate}`),
        ])
        t.same(faults.commits.slice(0, 2), ["test_emit_v1 send_messages_v5", "send_messages_v5*2"], fate)
        return { first: (await first)[1], again, second }
      }
      const done = await meet("done")
      t.same([done.first.told, done.second.told], ["done", "done"])
      t.same(done.again, done.first, "I9")
      const lost = await meet("lost")
      t.same([lost.first.told, lost.second.told], ["done", "done"])
      const late = await meet("late")
      t.same([late.again.told, late.second.told], ["unavailable", "unavailable"])
      t.same(await faults.arrive(), ["void"])
      const refused = await meet("refused")
      t.same([refused.again, refused.second.told], [done.first, "done"], "its halves are done")
      t.match(
        (await reader.take(4)).map((event) => event["message"]),
        ["once", "second done", "second lost", "second refused"].map((content) => ({ content })),
      )
      t.equal(await countOf(server, "once"), 1)
      t.equal(await countOf(server, "second late"), 0)
    }),
)
