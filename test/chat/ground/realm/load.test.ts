/** The projection is read in pages, and all of them are of one state of the realm. */
import * as Effect from "effect/Effect"
import t from "tap"
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
