/**
 * I12 while a server runs: its projection, moved over every row, must be what the tables give when they are loaded now. A
 * function of the tables that forgets what its row says is found at the very action that it gets wrong, not at some
 * restart later, when another action may have hidden it.
 */
import type { Test } from "tap"
import type { Realm } from "../../src/chat/realm/realm.ts"
import { loadRealm } from "../../src/chat/realm/realm-store.ts"
import { fold } from "../../src/chat/realm/values.ts"
import { catalog } from "./catalog.ts"
import { describePresent, describeRealm } from "./projection.ts"
import { until } from "./test-database.ts"
import type { TestServer } from "./with-server.ts"

/** More than rows of the server's own (no-ops, work in chunks) can come between a loading and the look at it. */
const mostTries = 20

/** By what a name is compared stands in its row, and is what the program folds it to. */
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
    const loaded = await run(loadRealm(database, realmId, catalog.kinds, clock.now))
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

/** For tests in which nobody writes at the time of the comparison. */
export const sameAfresh = (t: Test, server: TestServer, when: string): Promise<void> =>
  compare(t, server, when, describeRealm)

/** For `settles`, after each of many actions. The past is left to one look at the end. */
export const agreesWithTables =
  (t: Test, server: TestServer) =>
  (when: string): Promise<void> =>
    compare(t, server, when, describePresent)
