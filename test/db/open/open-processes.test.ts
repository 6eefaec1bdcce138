/** Opening the folder of a server that was killed. */
import t from "tap"
import { adminUrl, createFolder } from "../../kit/test-database.ts"
import { checkKilledWriter } from "../killed-writer.ts"

const onPglite = { skip: adminUrl === undefined ? false : "this run is on PostgreSQL" }

t.test("the folder of a killed server can be opened at once, with every acknowledged row", onPglite, async (t) =>
  checkKilledWriter(t, await createFolder(t), 20),
)
