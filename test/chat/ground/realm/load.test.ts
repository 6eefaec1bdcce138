/** The projection is read in pages, and all of them are of one state of the realm. */
import * as Effect from "effect/Effect"
import t from "tap"
import { userStatuses } from "../../../../src/chat/ground/kinds/user-statuses.ts"
import { loadRealm } from "../../../../src/chat/ground/realm/load-store.ts"
import type { DatabaseShape } from "../../../../src/db/database.ts"
import { catalog } from "../../../kit/catalog.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

/** The database, where somebody writes before each of the first `times` pages of subscriptions. */
const disturbed = (server: TestServer, times: number): DatabaseShape => {
  const { database } = server
  let left = times
  return {
    ...database,
    query: (sql, parameters) => {
      if (!sql.includes("load_subscriptions_v3") || left === 0) return database.query(sql, parameters)
      left -= 1
      const write = server.as("desdemona").must.patch("/realm", { description: `change ${left}` })
      return Effect.flatMap(
        Effect.promise(() => write),
        () => database.query(sql, parameters),
      )
    },
  }
}

t.test("a realm that changes while it is loaded is loaded anew, and not for ever", (t) =>
  withServer(t, { channels }, async (server) => {
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
    const counted: DatabaseShape = {
      ...database,
      query: (sql, ...rest) => {
        if (sql.includes("load_user_status")) pages += 1
        return database.query(sql, ...rest)
      },
    }
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
