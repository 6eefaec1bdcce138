/** Whether a database was served with the same secret before. */
import * as Effect from "effect/Effect"
import t from "tap"
import { replaceFingerprint } from "../../src/db/secret-fingerprint.ts"
import { openEmpty } from "../kit/lent-database.ts"

t.test("another secret than the last one is noticed once", async (t) => {
  const { database, query } = await openEmpty(t)
  const replace = (secret: string) => Effect.runPromise(replaceFingerprint(database, secret))
  t.equal(await replace("first secret"), false, "a new database has had none")
  t.equal(await replace("first secret"), false)
  t.equal(await replace("second secret"), true)
  t.equal(await replace("second secret"), false)
  const [row] = await query("select secret_fingerprint from server_state")
  t.match(row?.["secret_fingerprint"], /^[\w-]{22}\.[\w-]{43}$/, "a salt and a hash")
})
