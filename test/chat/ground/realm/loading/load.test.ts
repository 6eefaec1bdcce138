/** The projection is read in pages, and all of them are of one state of the realm. */
import * as Effect from "effect/Effect"
import t from "tap"
import { userStatuses } from "../../../../../src/chat/ground/kinds/user-statuses.ts"
import { findExtent, type PageSizes } from "../../../../../src/chat/ground/realm/loading/load-pages-store.ts"
import { loadRealm } from "../../../../../src/chat/ground/realm/loading/load-store.ts"
import type { DatabaseShape, Snapshot } from "../../../../../src/db/database.ts"
import { catalog } from "../../../../kit/catalog.ts"
import { addNeighbour } from "../../../../kit/neighbour.ts"
import { describeRealm } from "../../../../kit/projection.ts"
import { createDatabase } from "../../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

/** The database, where somebody writes before each of the first `times` pages of subscriptions. */
const disturbed = (server: TestServer, times: number): Pick<DatabaseShape, "snapshot"> => {
  let left = times
  return querying(server.database, (query) => (sql, ...rest) => {
    if (!sql.includes("from subscription_span") || left === 0) return query(sql, ...rest)
    left -= 1
    const write = server.as("desdemona").must.patch("/realm", { description: `change ${left}` })
    return Effect.flatMap(
      Effect.promise(() => write),
      () => query(sql, ...rest),
    )
  })
}

/** The database, whose snapshots are read by what `wrap` makes of their queries. */
const querying = (
  database: DatabaseShape,
  wrap: (query: Snapshot["query"]) => Snapshot["query"],
): Pick<DatabaseShape, "snapshot"> => ({
  snapshot: (use) => database.snapshot(({ query }) => use({ query: wrap(query) })),
})

t.test("a realm that changes while it is loaded is loaded as it was when that began", (t) =>
  // Beside another process that wrote, an organization in use could not be loaded.
  withServer(t, { channels }, async (server) => {
    if (server.database.kind === "pglite") return
    await server.as("desdemona").must.patch("/realm", { description: "before" })
    const { position } = server.realm.realm
    const loaded = await server.run(
      loadRealm(disturbed(server, 100), server.realmId, { moves: catalog.kinds, parts: catalog.parts }),
    )
    t.match(loaded, { position, settings: { description: "before" } })
    t.ok(server.realm.realm.position > position, "somebody wrote meanwhile")
  }),
)

t.test("in an embedded database a realm that changes while it is loaded is loaded anew, and not for ever", (t) =>
  withServer(t, { channels }, async (server) => {
    if (server.database.kind === "postgres") return
    const load = (times: number) =>
      server.run(
        Effect.result(
          loadRealm(disturbed(server, times), server.realmId, { moves: catalog.kinds, parts: catalog.parts }),
        ),
      )
    const loaded = await load(2)
    t.match(loaded, { _tag: "Success" })
    if (loaded._tag === "Success") {
      t.equal(loaded.success?.position, server.realm.realm.position)
      t.match(loaded.success?.settings, { description: "change 0" })
    }
    t.match(await load(100), { _tag: "Failure", failure: { _tag: "Unavailable" } })
    t.equal(
      (await server.run(loadRealm(server.database, server.realmId, { moves: catalog.kinds, parts: catalog.parts })))
        ?.id,
      server.realmId,
    )
  }),
)

t.test("a part that grows with the people is loaded in pages", (t) =>
  withServer(t, {}, async (server) => {
    for (const name of ["hamlet", "cordelia", "iago"] as const)
      await server.as(name).must.post("/users/me/status", { status_text: `I am ${name}` })
    await server.as("othello").must.patch("/settings", { presence_enabled: "false" })
    let pages = 0
    const { database } = server
    const counted = querying(database, (query) => (sql, ...rest) => {
      if (sql.includes("load_user_status")) pages += 1
      return query(sql, ...rest)
    })
    const [{ people } = {}] = await server.rows("select count(*)::integer as people from account where realm_id = $1", [
      server.realmId,
    ])
    for (const pageItems of [1, 2, 1000]) {
      pages = 0
      const loaded = await server.run(
        loadRealm(counted, server.realmId, { moves: catalog.kinds, parts: catalog.parts, pageItems }),
      )
      t.same(loaded?.plainPart(userStatuses), server.realm.realm.plainPart(userStatuses))
      t.equal(pages, Math.floor(Number(people) / pageItems) + 1)
    }
    t.equal(server.realm.realm.part(userStatuses).size, 4)
  }),
)

/** Accounts of another organization, so many that most of the table is theirs. */
const crowdSql = `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
  select 2, n, n || '@crowd.example', n || '@crowd.example', 'Somebody', 0 from generate_series(1, 10000) n`

t.test("the long lists are the same in whatever order and pages they are read", async (t) => {
  // Not a lent one, whose tables may be large on the disk by dead rows of earlier tests.
  const config = { database: await createDatabase(t) }
  const attics = [...channels, { name: "attic", users: ["iago", "hamlet"] }] as const
  await withServer(t, { channels: attics, config }, async (server) => {
    const [hamlet, iago] = [server.as("hamlet"), server.as("iago")]
    const attic = server.realm.realm.findChannelByName("attic")?.id
    for (const [property, value] of [
      ["is_muted", "true"],
      ["color", "#00ff0a"],
      ["push_notifications", "true"],
      ["email_notifications", "false"],
    ])
      await hamlet.must.post("/users/me/subscriptions/properties", {
        subscription_data: JSON.stringify([
          { stream_id: attic, property, value: value === "true" || value === "false" ? value === "true" : value },
        ]),
      })
    await iago.must.post("/users/me/subscriptions/properties", {
      subscription_data: JSON.stringify([{ stream_id: attic, property: "pin_to_top", value: true }]),
    })
    for (let times = 0; times < 3; times++) {
      await hamlet.must.delete("/users/me/subscriptions", { subscriptions: '["lobby"]' })
      await hamlet.must.post("/users/me/subscriptions", { subscriptions: '[{"name":"lobby"}]' })
    }
    const othello = server.idOf("othello")
    await server.as("desdemona").must.patch(`/users/${othello}`, { role: "600" })
    await server.as("desdemona").must.delete(`/users/${othello}`)
    await server.as("desdemona").must.patch(`/users/${othello}`, { role: "300" })
    await hamlet.must.patch("/settings", { web_font_size_px: "20" })
    // What an older program may have stored.
    await server.rows("update subscription_setting set color = 'blue, or green' where realm_id = $1 and user_id = $2", [
      server.realmId,
      server.idOf("cordelia"),
    ])
    // As for one who was given what was there before.
    await server.rows("update subscription_span set reads_from = 1 where realm_id = $1 and user_id = $2", [
      server.realmId,
      server.idOf("cordelia"),
    ])
    const load = (pages?: PageSizes) =>
      server.run(
        loadRealm(server.database, server.realmId, {
          moves: catalog.kinds,
          parts: catalog.parts,
          ...(pages === undefined ? {} : { pages }),
        }),
      )
    const described = async (pages?: PageSizes) => {
      const realm = await load(pages)
      return realm === null ? null : { ...describeRealm(realm), order: [...realm.users.keys()] }
    }
    const whole = await described()
    const blue = whole?.channels.flatMap(({ subscriptions }) => subscriptions.map(({ settings }) => settings?.color))
    t.ok(blue?.includes("blue, or green"))
    t.same(
      whole?.order,
      [...(whole?.order ?? [])].sort((a, b) => a - b),
    )
    t.not((await server.run(findExtent(server.database, server.realmId))).blocks, null, "nearly all of the tables")
    t.same(await described({ blocks: 1, people: 1 }), whole, "as it lies, a page of the disk at a time")
    await addNeighbour(server)
    await server.rows(crowdSql)
    t.same((await server.run(findExtent(server.database, server.realmId))).blocks, null, "a small part of the tables")
    t.same(await described(), whole, "by users")
    t.same(await described({ blocks: 1, people: 1 }), whole, "by users, one at a time")
  })
})
