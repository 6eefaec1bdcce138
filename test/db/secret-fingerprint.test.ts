/** Whether a database was served with the same secret before. */
import t from "tap"
import { openMigratedDatabase } from "../../src/db/open/open.ts"
import { replaceFingerprint } from "../../src/db/secret-fingerprint.ts"
import { createDatabase, openLayer } from "../kit/test-database.ts"

t.test("another secret than the last one is noticed once", async (t) => {
  const { database, query, run } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  const replace = (secret: string) => run(replaceFingerprint(database, secret))
  t.equal(await replace("first secret"), false, "a new database has had none")
  t.equal(await replace("first secret"), false)
  t.equal(await replace("second secret"), true)
  t.equal(await replace("second secret"), false)
  const [row] = await query("select secret_fingerprint from server_state")
  t.match(row?.["secret_fingerprint"], /^[\w-]{22}\.[\w-]{43}$/, "a salt and a hash")
})
