/**
 * Invariants of docs/architecture.md on a running server and its database: I1, I2, I7, I12, and how many rows a message
 * writes. The others: I3, I4, I5, I10, I11 in events/queue-invariants.test.ts, I6 and I8 in events/writer.test.ts and
 * faults/races.test.ts, I9 in faults/retried-send.test.ts, I13 in settles.test.ts.
 */
import t from "tap"
import { removeSteps } from "../../src/chat/channels/subscriptions/subscription-steps.ts"
import { loadRealm } from "../../src/chat/ground/realm/loading/load-store.ts"
import { wireId } from "../../src/events/event.ts"
import { ChannelId, UserId } from "../../src/ids.ts"
import { Random } from "../events/model/random.ts"
import { catalog } from "../kit/catalog.ts"
import { openElsewhere } from "../kit/elsewhere.ts"
import { emit, emitArgs, further, positionIn } from "../kit/further.ts"
import { findOrphans } from "../kit/orphans.ts"
import { describeRealm } from "../kit/projection.ts"
import { seed } from "../kit/share.ts"
import { type Name, names, type TestServer, withServer } from "../kit/with-server.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia", "othello"] } as const

t.test("I1: commit order is position order, without gaps, with several writers", (t) =>
  withServer(t, { channels: [lobby], further }, async (server) => {
    const elsewhere = await openElsewhere(t, server)
    const reader = await server.queue("othello", { event_types: ["message", "test_wide"] })
    const late: Array<string> = []
    const gaps: Array<string> = []
    /** The highest position answered so far: whatever is sent from now on must get a higher one. */
    let answered = 0
    const inOrder = async (what: string, write: () => Promise<number>) => {
      const floor = answered
      const position = await write()
      if (position <= floor) late.push(`${what} got ${position} after ${floor} was answered`)
      answered = Math.max(answered, position)
    }
    let writing = true
    const observe = async () => {
      while (writing) {
        const [row] = await elsewhere.query("select count(*) as rows, max(position) as newest from log")
        if (row?.["rows"] !== row?.["newest"]) gaps.push(`${row?.["rows"]} rows up to ${row?.["newest"]}`)
      }
    }
    const send = async (name: Name) => {
      for (let n = 0; n < 40; n++) await inOrder(name, () => server.as(name).send("lobby", `${name} ${n}`))
    }
    const strange = async () => {
      for (let n = 0; n < 20; n++) {
        const args = emitArgs({ type: "test_wide", payload: { name: `stranger ${n}` }, width: 3 })
        await inOrder("the stranger", async () => {
          const { outcomes } = await elsewhere.commit({ fn: "test_emit_v1", args })
          return positionIn(outcomes[0])
        })
      }
    }
    const observing = observe()
    await Promise.all([send("hamlet"), send("hamlet"), send("cordelia"), send("othello"), strange()])
    writing = false
    await observing
    const last = await server.as("hamlet").send("lobby", "last")
    await reader.until((event) => event.id === wireId(last, 0))

    t.same(late, [])
    t.same(gaps, [])
    t.equal(server.realm.feed.position, await elsewhere.head())
    t.equal(await elsewhere.number("select count(*) - max(position) as n from log"), 0)
    t.equal(
      await elsewhere.number(
        "select count(*) as n from (select at < lag(at) over (order by position) as back from log) l where back",
      ),
      0,
      "times follow positions",
    )
    const read = new Set(reader.events.map((event) => Math.floor(event.id / 65_536)))
    const rows = await server.rows("select position from log where type in ('message', 'test_wide') order by position")
    t.same(
      [...read],
      rows.map((row) => row["position"]),
      "all messages are read in that order",
    )
    t.equal(read.size, 181)
  }),
)

t.test("I2: no event without its change, no change without its event", (t) =>
  withServer(t, { channels: [lobby], further }, async (server) => {
    const { desdemona, hamlet, cordelia } = {
      desdemona: server.as("desdemona"),
      hamlet: server.as("hamlet"),
      cordelia: server.as("cordelia"),
    }
    await Promise.all([
      hamlet.send("lobby", "one"),
      hamlet.post("/messages", { type: "direct", to: [server.idOf("cordelia")], content: "two" }),
      cordelia.post("/users/me/subscriptions", { subscriptions: [{ name: "new" }, { name: "newer" }] }),
      hamlet.delete("/users/me/subscriptions", { subscriptions: ["lobby"] }),
      desdemona.post("/users", { email: "new@test.example", password: "secret1", full_name: "New" }),
      desdemona.delete(`/users/${server.idOf("polonius")}`),
      emit(server, { type: "test_wide", payload: { name: "poison" }, refuse: "refused on purpose" }).catch(() => 0),
      cordelia.send("new", "three").catch(() => 0),
      hamlet.send("no such channel", "four").catch(() => 0),
    ])
    t.same(await findOrphans(server), [])
    const [row] = await server.rows("select count(*) as n from log where payload ->> 'name' = 'poison'")
    t.equal(row?.["n"], 0, "a call that fails half-way leaves nothing")

    // The check itself must find planted faults.
    await server.rows("delete from message where content = 'two'")
    t.match(await findOrphans(server), [/event without message/])
  }),
)

t.test("I7: a client reads its own writes, however many others write", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    let writing = true
    const noise = async () => {
      while (writing) await server.as("othello").send("lobby", "noise")
    }
    const others = [noise(), noise()]
    const hamlet = server.as("hamlet")
    const desdemona = server.as("desdemona")
    for (let n = 0; n < 6; n++) {
      const id = await hamlet.send("lobby", `mine ${n}`)
      const narrow = { narrow: [["sender", "hamlet@test.example"]], anchor: "newest", num_before: 1, num_after: 0 }
      t.match(await hamlet.must.get("/messages", narrow), { messages: [{ id }] })
      const state = await hamlet.must.post("/register", { fetch_event_types: ["message"], event_types: ["message"] })
      t.ok(Number(state["max_message_id"]) >= id)

      const channel = `channel ${n}`
      await hamlet.must.post("/users/me/subscriptions", { subscriptions: [{ name: channel }] })
      t.ok(JSON.stringify(await hamlet.must.get("/users/me/subscriptions")).includes(`"${channel}"`))
      await hamlet.send(channel, "in a channel that was just made")
      await hamlet.must.delete("/users/me/subscriptions", { subscriptions: [channel] })
      t.notOk(JSON.stringify(await hamlet.must.get("/users/me/subscriptions")).includes(`"${channel}"`))

      const person = { email: `new${n}@test.example`, password: "secret1", full_name: "New" }
      const made = Number((await desdemona.must.post("/users", person))["user_id"])
      const asMade = server.asEmail(person.email)
      t.match(await asMade.must.get("/users/me"), { user_id: made, is_active: true })
      await desdemona.must.delete(`/users/${made}`)
      t.equal((await asMade.get("/users/me")).status, 401)
    }
    writing = false
    await Promise.all(others)
  }),
)

t.test("I12: a projection moved forward equals one freshly loaded", (t) =>
  withServer(
    t,
    {
      channels: [
        { ...lobby, isDefault: true },
        { name: "hall", users: ["desdemona"], isWebPublic: true },
      ],
    },
    async (server) => {
      t.comment(`the model's seed ${seed}`)
      const random = new Random(seed)
      const elsewhere = await openElsewhere(t, server)
      const compare = async (when: string) => {
        const { database, realmId } = server
        const loaded = await server.run(
          loadRealm(database, realmId, { moves: catalog.kinds, parts: catalog.parts, pageItems: 7 }),
        )
        if (loaded === null) return t.fail("there is no realm")
        t.same(describeRealm(server.realm.realm), describeRealm(loaded), when)
      }
      const actors: ReadonlyArray<Name> = ["desdemona", "iago", "shiva", "hamlet", "cordelia", "othello"]
      const channels = ["lobby", "hall", "one", "two", "three", "four"]
      let made = 0
      const act = async () => {
        const actor = server.as(random.pick(actors))
        const name = random.pick(channels)
        const principals = random.some(names, 0.3).map(server.idOf)
        const others = random.chance(0.5) && principals.length > 0 ? { principals } : {}
        const privately = { invite_only: random.chance(0.4), ...others }
        const what = random.between(0, 11)
        if (what <= 2) return actor.post("/users/me/subscriptions", { subscriptions: [{ name }], ...privately })
        if (what <= 4) return actor.delete("/users/me/subscriptions", { subscriptions: [name] })
        if (what === 5) return actor.post("/messages", { type: "channel", to: name, topic: "t", content: "x" })
        if (what === 6) {
          const person = { email: `new${made++}@test.example`, password: "secret1", full_name: "New" }
          return server.as("desdemona").post("/users", person)
        }
        if (what === 7) return actor.post("/users/me/api_key/regenerate")
        if (what === 8) {
          const visibility = random.pick([1, 2, 3, 4, 5] as const)
          await server.actions.changeUserSetting(random.pick(names), "email_address_visibility", visibility)
          return { status: 200 }
        }
        const someone = `/users/${random.between(4, 7 + made)}`
        const owner = server.as("desdemona")
        if (what === 9) return owner.patch(someone, { role: random.pick([200, 300, 400, 600]) })
        return what === 10 ? owner.post(`${someone}/reactivate`) : owner.delete(someone)
      }
      const done: Array<number> = []
      for (let round = 0; round < 12; round++) {
        const answers = await Promise.all(Array.from({ length: 6 }, act))
        done.push(...answers.map(({ status }) => status))
        await compare(`after round ${round}`)
      }
      t.ok(done.filter((status) => status === 200).length > 20, "most requests succeeded")
      // Commits by another program, whose rows this projection reads from the log.
      const { realm } = server.realm
      const channel = realm.findChannelByName("lobby")
      if (channel === undefined) throw new Error("the scene is not set")
      const users = Array.from(realm.subscribers(channel.id), (id) => realm.users.get(UserId(id)))
      const steps = removeSteps(
        realm,
        channel,
        users.filter((user) => user !== undefined),
      )
      await elsewhere.commit({ fn: "run_steps_v1", args: { steps } })
      await server.as("desdemona").must.post("/users/me/subscriptions", { subscriptions: [{ name: "last" }] })
      await compare("after commits of others")
      t.same(await findOrphans(server), [])
      const moved = describeRealm(server.realm.realm)
      await server.restart()
      t.same(describeRealm(server.realm.realm), moved, "after a restart")
    },
  ),
)

/** Rows that commits after `before` have inserted or changed, in all tables. */
const rowsSince = async (server: TestServer, before: number): Promise<number> => {
  const tables = await server.rows(
    "select table_name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  )
  let found = 0
  for (const { table_name } of tables) {
    const [row] = await server.rows(`select count(*) as n from ${table_name} where xmin::text::bigint > $1`, [before])
    found += Number(row?.["n"])
  }
  return found
}

t.test("a send to 5,000 subscribers writes as many rows as one to 5", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "five", users: names.slice(0, 5) },
        { name: "all", users: ["hamlet"] },
      ],
    },
    async (server) => {
      await server.rows(
        `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
       select 1, n, 'many' || n || '@test.example', 'many' || n || '@test.example', 'Many', 0 from generate_series(8, 5006) n`,
      )
      // As in bulk.test.ts: or each row that names an account reads them all.
      await server.rows("analyze account")
      await server.rows(
        "insert into role_span (realm_id, user_id, role, opened) select 1, n, 400, 1 from generate_series(8, 5006) n",
      )
      await server.rows(
        "insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from) select 1, 2, n, 1, 1 from generate_series(8, 5006) n",
      )
      await server.restart()
      t.equal(server.realm.realm.subscribers(ChannelId(2)).length, 5000)
      const cost = async (channel: string) => {
        // The first message of a channel writes a further row, so it is sent before the counting.
        await server.as("hamlet").send(channel, "first")
        const [row] = await server.rows("select txid_current() as n")
        await server.as("hamlet").send(channel, "second", { queue_id: "q", local_id: channel })
        return rowsSince(server, Number(row?.["n"]))
      }
      const few = await cost("five")
      t.ok(few >= 3, "a row of the log, a message, an outcome")
      t.equal(await cost("all"), few)
    },
  ),
)
