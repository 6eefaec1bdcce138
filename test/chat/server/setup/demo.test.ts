/** The demo organization of development mode: complete after any number of interrupted starts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import t from "tap"
import { Unavailable } from "../../../../src/api/errors.ts"
import { demoAccounts } from "../../../../src/chat/server/setup/demo.ts"
import { demoBots } from "../../../../src/chat/server/setup/demo-bots.ts"
import { demoFaces } from "../../../../src/chat/server/setup/demo-faces.ts"
import { Database, type DatabaseShape } from "../../../../src/db/database.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import { DatabaseUnusable } from "../../../../src/db/open-failures.ts"
import { commitSql } from "../../../../src/events/log-commit.ts"
import { manualClock } from "../../../kit/manual-clock.ts"
import { isFull, seed } from "../../../kit/share.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"
import { startTestApp, testConfig } from "../../../kit/with-server.ts"
import { checkDemo } from "./check-demo.ts"

/** Of so many commits the quick run is interrupted after one: after which, depends on the seed. */
const stride = isFull ? 1 : 4

t.test("the demo organization is completed, whichever commit its making was interrupted after", async (t) => {
  const config = testConfig(await createDatabase(t), { config: { mode: "development" } })
  const { database } = await openLayer(t, openMigratedDatabase(config.database))
  const clock = manualClock()
  const onForeign = () => t.fail("nobody else has the database")
  const start = (commits: number) => {
    let left = commits
    const stopped = Effect.fail(new Unavailable({ reason: "the test has stopped it" }))
    const limited: DatabaseShape = {
      ...database,
      write: (sql, parameters) =>
        Effect.suspend((): ReturnType<DatabaseShape["write"]> => {
          const stops = sql === commitSql && left-- === 0
          return stops ? stopped : database.write(sql, parameters)
        }),
    }
    const layer = Layer.succeed(Database, limited)
    return startTestApp({ config, clock, commitTime: () => clock.now(), onForeign, database: layer }).catch(
      (error: unknown) => {
        if (!(error instanceof DatabaseUnusable)) throw error
        return null
      },
    )
  }
  const made = demoAccounts.length + demoBots.length + demoFaces.size + 6
  for (let starts = 0; starts < made + 50; starts++) {
    // Nothing that is there is committed again but what people say and do: that is said again as a retry, and done again
    // without effect. So each further start gets further.
    const served = await start(starts === 0 ? seed % stride : Math.max(stride, 6 * (starts - made / stride)))
    if (served === null) continue
    t.teardown(served.stop)
    t.ok(
      starts > (made + 3) / stride,
      "one more start for each account, face and channel, for the profile fields and their values, and some for what is said",
    )
    return checkDemo(t, served.app.server.port)
  }
  t.fail("it never started")
})
