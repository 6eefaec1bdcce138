/**
 * Commands over more items than one commit takes (design 4): after a crash or a lost database they are finished, with
 * every item done once, and between their chunks other commands are committed.
 */
import { isDeepStrictEqual } from "node:util"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import t, { type Test } from "tap"
import { Unavailable } from "../../../../src/api/errors.ts"
import { Bulk } from "../../../../src/chat/ground/bulk/bulk.ts"
import { BulkKinds, repeatableKind } from "../../../../src/chat/ground/bulk/bulk-kind.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { loadRealm } from "../../../../src/chat/ground/realm/loading/load-store.ts"
import { Realms } from "../../../../src/chat/ground/realm/realms.ts"
import { Clock } from "../../../../src/clock.ts"
import { Database } from "../../../../src/db/database.ts"
import { UserReads } from "../../../../src/db/reads.ts"
import { noNotes } from "../../../../src/events/peers/notes.ts"
import type { ChannelId } from "../../../../src/ids.ts"
import { Jobs } from "../../../../src/jobs/jobs.ts"
import { catalog } from "../../../kit/catalog.ts"
import { Gate } from "../../../kit/chunk-gate.ts"
import { openElsewhere } from "../../../kit/elsewhere.ts"
import { testDatabase } from "../../../kit/lent-database.ts"
import { describeRealm } from "../../../kit/projection.ts"
import { pluck } from "../../../kit/records.ts"
import { inTurn, isFull } from "../../../kit/share.ts"
import { until } from "../../../kit/test-database.ts"
import { type ServerSetup, type TestServer, withServer } from "../../../kit/with-server.ts"

const own = "/users/me/subscriptions"
const patience = 20_000

/** The cast are the first seven of so many people. */
const withPeople = async (
  t: Test,
  count: number,
  gate: Gate,
  setup: ServerSetup,
  body: (server: TestServer, people: ReadonlyArray<number>) => Promise<void>,
) => {
  const { database, layer } = await testDatabase(t)
  const databaseLayer = Layer.effect(Database, Effect.map(Database, gate.wrap)).pipe(Layer.provide(layer))
  await withServer(t, { ...setup, config: { database }, databaseLayer }, async (server) => {
    const ids = "generate_series(8, $1::integer) as each"
    await server.rows(
      `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
        select 1, each, 'u' || each || '@test.example', 'u' || each || '@test.example', 'u' || each, 0 from ${ids}`,
      [count],
    )
    // Else PostgreSQL goes on with a plan that it made for seven accounts, and reads them all for each row that names one.
    await server.rows("analyze account")
    await server.rows(
      `insert into role_span (realm_id, user_id, role, opened) select 1, each, $2::integer, 0 from ${ids}`,
      [count, roles.member],
    )
    await server.restart()
    await body(
      server,
      Array.from({ length: count }, (_, index) => index + 1),
    )
  })
}

const idOf = (server: TestServer, name: string): ChannelId => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}

const subscribers = (server: TestServer, name: string): ReadonlyArray<number> => [
  ...server.realm.realm.subscribers(idOf(server, name)),
]

/** The projection as a server that starts now would have it. */
const reloaded = async (server: TestServer) => {
  const realm = await Effect.runPromise(
    loadRealm(server.database, server.realmId, { moves: catalog.kinds, parts: catalog.parts }),
  )
  if (realm === null) throw new Error("there is no realm")
  return realm
}

/** Waits until no work is left, and the server has heard of the last commit, which the database shows a moment earlier. */
const finished = async (server: TestServer): Promise<void> => {
  await until("no work is left", patience, async () => (await server.rows("select from unfinished_work")).length === 0)
  const [row] = await server.rows("select max(position) as head from log")
  await until("the server has read it all", patience, () => server.realm.realm.position >= Number(row?.["head"]))
}

/** For long lists, of which tap's comparison takes seconds: what follows their first difference must be the same. */
const sameList = (t: Test, found: ReadonlyArray<unknown>, wanted: ReadonlyArray<unknown>, what = "the same list") => {
  const longest = Math.max(found.length, wanted.length)
  const indexes = Array.from({ length: longest }, (_, index) => index)
  const at = indexes.find((index) => !isDeepStrictEqual(found[index], wanted[index])) ?? longest
  t.same({ at, next: found.slice(at, at + 5) }, { at, next: wanted.slice(at, at + 5) }, what)
}

/** The parts of two descriptions of an organization that differ, each with the beginning of both. */
const differingParts = (moved: ReturnType<typeof describeRealm>, loaded: ReturnType<typeof describeRealm>) => {
  const others = new Map<string, unknown>(Object.entries(loaded))
  return Object.entries(moved)
    .filter(([part, value]) => !isDeepStrictEqual(value, others.get(part)))
    .map(([part, value]) => [part, ...[value, others.get(part)].map((each) => JSON.stringify(each)?.slice(0, 1000))])
}

/** Every subscription that rows have told of, as `channel user`. */
const toldPairs = async (server: TestServer): Promise<ReadonlyArray<unknown>> => {
  const rows = await server.rows(
    `select (payload #>> '{channel,id}') || ' ' || (a ->> 'user_id') as pair
       from log, jsonb_array_elements(payload -> 'added') as a where type = 'subscription' and payload ->> 'op' = 'add'`,
  )
  return pluck(rows, "pair")
}

const toldOnce = async (t: Test, server: TestServer, count: number) => {
  const pairs = await toldPairs(server)
  t.equal(pairs.length, count, "each is told")
  t.equal(new Set(pairs).size, count, "and told once")
}

t.test(
  "a command of thousands of subscribers that a kill interrupts is finished after the start, each subscriber once",
  (t) => {
    const gate = new Gate()
    const [count, middle] = isFull ? [10_000, 8] : [2000, 2]
    return withPeople(t, count, gate, { channels: [{ name: "all", users: ["iago"] }] }, async (server, people) => {
      gate.fate = (chunk) => (chunk === middle ? "never" : "sent")
      const asked = { subscriptions: [{ name: "all" }], principals: people }
      const cut = t.rejects(server.as("iago").post(own, asked), "nobody is told that it was done")
      await until("it is in the middle", patience, () => gate.chunks === middle)
      t.equal(subscribers(server, "all").length, 1 + (middle - 1) * 500)
      await server.restart()
      await cut
      await finished(server)
      t.equal(gate.chunks, middle + (count / 500 - (middle - 1)), "it went on where it was")
      sameList(t, subscribers(server, "all"), people)
      await toldOnce(t, server, count)
      t.match(
        await server.rows("select count(*)::integer as n, count(closed)::integer as closed from subscription_span"),
        [{ n: count, closed: 0 }],
      )
      t.same(
        differingParts(describeRealm(server.realm.realm), describeRealm(await reloaded(server))),
        [],
        "moved forward as loaded (I12)",
      )
    })
  },
)

t.test("while a command is done in chunks", inTurn(2, "commands in chunks"), (t) => {
  const gate = new Gate()
  const setup = {
    channels: [
      { name: "lobby", users: ["hamlet"] },
      { name: "all", users: ["iago"] },
      { name: "attic", users: ["iago"] },
    ],
  } as const
  return withPeople(t, 1200, gate, setup, async (server, people) => {
    // A chunk takes 40 ms of the clock that the test holds.
    gate.done = () => server.clock.advance(40)
    const turn = (chunks: number) => until(`chunk ${chunks}`, patience, () => gate.chunks === chunks)
    const asked = { subscriptions: [{ name: "all" }, { name: "attic" }], principals: people }
    const answer = server.as("iago").post(own, asked)
    await turn(1)
    const send = async (content: string) => {
      await server.as("hamlet").send("lobby", content)
      return gate.chunks
    }

    await t.test("after each chunk the log's lock is free for as long as the chunk took", async (t) => {
      t.equal(await send("at once"), 1)
      server.clock.advance(39)
      t.equal(await send("to the last"), 1)
      t.match(await server.rows("select kind, done from unfinished_work"), [{ kind: "subscribe", done: 501 }])
      server.clock.advance(1)
      await turn(2)
      t.equal(await send("again"), 2)
    })

    // The rest must pass over one who has left, one who has come by himself, a channel that takes nobody.
    await server.as("iago").must.delete("/users/1100")
    await server.asEmail("u1101@test.example").must.post(own, { subscriptions: [{ name: "all" }] })
    await server.as("iago").must.delete(`/streams/${idOf(server, "attic")}`)

    await t.test("a chunk that another process has done is not done again", async (t) => {
      const elsewhere = await openElsewhere(t, server)
      const [row] = await server.rows("select id from unfinished_work")
      const work = { id: String(row?.["id"]), from: 0, next: null }
      const { outcomes } = await elsewhere.commit({ fn: "run_steps_v1", args: { steps: [], work } })
      t.same(outcomes, [{ refused: "done" }])
      t.equal((await server.rows("select from unfinished_work")).length, 1)
    })

    server.clock.advance(40)
    await turn(3)
    server.clock.advance(40)
    t.match(await answer, { status: 200, body: { new_subscription_messages_sent: false } })
    await finished(server)
    sameList(
      t,
      subscribers(server, "all"),
      people.filter((id) => id !== 1100),
    )
    t.same(subscribers(server, "attic"), [server.idOf("iago")])
    await toldOnce(t, server, 1 + 1199 + 1)
  })
})

t.test(
  "a channel that is archived while it is being unarchived, and unarchived again: each subscriber is told once",
  inTurn(2, "archived while unarchived"),
  (t) => {
    const gate = new Gate()
    return withPeople(t, 1200, gate, { channels: [{ name: "all", users: ["iago"] }] }, async (server, people) => {
      await server.as("iago").must.post(own, { subscriptions: [{ name: "all" }], principals: people })
      const path = `/streams/${idOf(server, "all")}`
      const iago = server.as("iago")
      await iago.must.delete(path)
      gate.chunks = 0
      gate.done = () => server.clock.advance(40)
      const turn = (chunks: number) => until(`chunk ${chunks}`, patience, () => gate.chunks === chunks)
      const first = iago.patch(path, { is_archived: false })
      await turn(1)
      await iago.must.delete(path)
      const second = iago.patch(path, { is_archived: false })
      await turn(2)
      // Both wait for the time that their chunks took.
      const ends = async (answer: Promise<unknown>) => {
        let isOver = false
        void answer.then(() => {
          isOver = true
        })
        await until("it is answered", patience, () => {
          server.clock.advance(40)
          return isOver
        })
      }
      await Promise.all([ends(first), ends(second)])
      await finished(server)
      const told = await server.rows(
        `select (a ->> 'user_id')::integer as id, count(*)::integer as times
         from log, jsonb_array_elements(payload -> 'added') as a
        where type = 'subscription' and payload -> 'returned' = 'true'
          and position > (select max(position) from log where type = 'stream' and payload ->> 'op' = 'archive')
        group by 1 order by 1`,
      )
      sameList(
        t,
        told,
        people.map((id) => ({ id, times: 1 })),
      )
    })
  },
)

t.test("the database is lost between two chunks", inTurn(2, "a database lost between chunks"), (t) => {
  const gate = new Gate()
  return withPeople(t, 1200, gate, { channels: [{ name: "all", users: ["iago"] }] }, async (server, people) => {
    const fields = { subscriptions: [{ name: "all" }], principals: people }

    await t.test("the requester is not told that nothing was done, and the rest is done later", async (t) => {
      gate.fate = (chunk) => (chunk === 2 ? "unsent" : "sent")
      await t.rejects(server.as("iago").post(own, fields), "cut without an answer")
      t.equal(subscribers(server, "all").length, 501)
      server.clock.advance(10_000)
      await finished(server)
      sameList(t, subscribers(server, "all"), people)
      await toldOnce(t, server, 1200)
    })

    await t.test("if the first chunk was not committed, nothing is done", async (t) => {
      gate.chunks = 0
      gate.fate = (chunk) => (chunk === 1 ? "unsent" : "sent")
      const names = { subscriptions: ["all"], principals: people }
      t.match(await server.as("iago").delete(own, names), { status: 503 })
      server.clock.advance(10_000)
      t.equal(gate.chunks, 1)
      sameList(t, subscribers(server, "all"), people)
      const body = await server.as("iago").must.delete(own, names)
      t.match(body, { removed: { length: 1200 }, not_removed: [] })
      t.same(subscribers(server, "all"), [])
      t.equal(gate.chunks, 1 + 3)
    })

    await t.test("joining many channels and leaving another in one request: what is left is both", async (t) => {
      const iago = server.as("iago")
      await iago.must.post(own, { subscriptions: [{ name: "all" }] })
      const names = Array.from({ length: 90 }, (_, n) => `channel ${n}`)
      gate.chunks = 0
      gate.fate = (chunk) => (chunk === 2 ? "unsent" : "sent")
      const both = { add: names.map((name) => ({ name })), delete: ["all"] }
      await t.rejects(iago.patch(own, both), "cut without an answer")
      t.same(subscribers(server, "all"), [server.idOf("iago")])
      server.clock.advance(10_000)
      await finished(server)
      const { subscriptions } = await iago.must.get(own)
      t.same(pluck(subscriptions, "name"), names)
    })
  })
})

t.test("work that was taken up and fails each time is told of once", (t) =>
  withServer(t, {}, async (server) => {
    const lines: Array<string> = []
    let tries = 0
    const nothing = (what: string): never => {
      throw new Error(`nobody should ${what}`)
    }
    const stubborn = repeatableKind("stubborn", Schema.decodeUnknownSync(Schema.Struct({})), () =>
      Effect.suspend(() => {
        tries += 1
        return Effect.fail(new Unavailable({ reason: `refused for good, ${tries}` }))
      }),
    )
    const log = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
    const runtime = ManagedRuntime.make(
      Bulk.layer.pipe(
        Layer.provide(Jobs.layer),
        Layer.provide(
          // Its work reads nothing, and asks for no organization.
          Layer.mergeAll(
            Layer.succeed(BulkKinds, [stubborn]),
            Layer.succeed(Clock, server.clock),
            Layer.succeed(Database, server.database),
            Layer.mock(Realms)({
              isAlone: true,
              everywhere: noNotes,
              own: null,
              busCounts: () => null,
              rowsBehind: () => 0,
              loaded: () => [],
              whenLoaded: () => {},
              atWork: () => undefined,
              running: () => undefined,
              isOneOfSeveral: () => false,
              hasNone: () => false,
              databaseTime: () => null,
            }),
            Layer.mock(UserReads)({ begin: () => nothing("begin a reading") }),
          ),
        ),
        Layer.provideMerge(Logger.layer([log])),
      ),
    )
    await server.rows("insert into unfinished_work (realm_id, id, kind, args, at) values (1, 'x', 'stubborn', '{}', 0)")
    const { finish } = await runtime.runPromise(Bulk)
    for (const n of [1, 2, 3])
      await until("it is tried", patience, async () => {
        await runtime.runPromise(finish)
        return tries >= n
      })
    t.same(lines, ["the work stubborn of realm 1 failed and is tried again: refused for good, 1"])
    await runtime.dispose()
    await server.rows("delete from unfinished_work")
  }),
)
