/**
 * I12 while a server runs: its projection must equal one loaded afresh from the tables. So a SQL function that does not
 * apply its row correctly is found right after the action, and not at a later restart, when another action may hide it.
 */
import type { Test } from "tap"
import { fold } from "../../src/chat/ground/realm/domain-values.ts"
import { loadRealm } from "../../src/chat/ground/realm/loading/load-store.ts"
import type { Realm } from "../../src/chat/ground/realm/realm.ts"
import { catalog } from "./catalog.ts"
import { describePresent, describeRealm } from "./projection.ts"
import { until } from "./test-database.ts"
import type { TestServer } from "./with-server.ts"

/**
 * The most tries: the server's own rows (no-ops, chunks) may come between loading and comparing, but not that often.
 */
const mostTries = 20

/** The columns with folded names: each must be what the program's `fold` makes of the name beside it. */
const sameFolded = async (t: Test, server: TestServer, when: string): Promise<void> => {
  const rows = await server.rows(
    "select name, name_folded as folded from channel union all select email, email_folded from account",
  )
  const odd = rows.filter(({ name, folded }) => fold(String(name)) !== folded)
  t.same(odd, [], `folded: ${when}`)
}

type Describe = (realm: Realm) => object

const compare = async (t: Test, server: TestServer, when: string, describe: Describe): Promise<void> => {
  for (let tries = 0; tries < mostTries; tries++) {
    const { run, database, realmId, clock } = server
    const loaded = await run(
      loadRealm(database, realmId, { moves: catalog.kinds, parts: catalog.parts, now: clock.now, pageItems: 3 }),
    )
    if (loaded === null) return void t.fail("there is no such realm")
    const { realm } = server.realm
    await until("the projection has come as far as the tables", 10_000, () => realm.position >= loaded.position)
    if (realm.position > loaded.position) continue
    t.same(describe(realm), describe(loaded), `I12: ${when}`)
    await sameFolded(t, server, when)
    return
  }
  t.fail(`I12: ${when}: others write while it is compared`)
}

/** Compares the whole projection, its past included. For tests in which nobody writes meanwhile. */
export const sameAfresh = (t: Test, server: TestServer, when: string): Promise<void> =>
  compare(t, server, when, describeRealm)

/** Compares the present state only; for `settles`, which calls it after each of many actions. */
export const agreesWithTables =
  (t: Test, server: TestServer) =>
  (when: string): Promise<void> =>
    compare(t, server, when, describePresent)
