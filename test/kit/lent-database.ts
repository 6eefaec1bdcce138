/**
 * Databases that the tests of a process reuse, each lent to one server at a time and reset in between
 * (src/testing/lent-databases.ts). A reset database holds only the cast (cast.ts).
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import tap, { type Test } from "tap"
import { Database } from "../../src/db/database.ts"
import { type LentDatabase, LentDatabases } from "../../src/testing/lent-databases.ts"
import { manualClock } from "../../src/testing/test-clock.ts"
import { makeCast } from "./cast.ts"
import { startTestApp, testConfig } from "./test-app.ts"
import { adminUrl } from "./test-database.ts"

const databases = new LentDatabases({ admin: adminUrl })
tap.teardown(() => databases.close())

/** Puts the cast into a database, by a server that is started and stopped as in a test. */
const fill = async ({ config, layerOf, keep }: LentDatabase) => {
  const clock = manualClock()
  const { app, stop } = await startTestApp({
    config: testConfig(config),
    clock,
    commitTime: () => clock.now(),
    onForeign: (why) => {
      throw new Error(`another server took the new database over: ${why}`)
    },
    database: layerOf([]),
  })
  await Effect.runPromise(Effect.provide(makeCast(clock.now()), app.services))
  await stop()
  await keep()
}

const lend = async (t: Test, furtherSql: ReadonlyArray<string>, beginning: string | null) => {
  const lent = await databases.lend(beginning)
  t.teardown(() => lent.giveBack())
  return { database: lent.config, layer: lent.layerOf(furtherSql) }
}

/** A database with the cast, until the test ends. `furtherSql`: paths of functions that only the test has. */
export const testDatabase = async (t: Test, furtherSql: ReadonlyArray<string> = []) => {
  if (!databases.knows("cast")) {
    const first = await databases.lend("cast")
    await fill(first)
    first.giveBack()
  }
  return lend(t, furtherSql, "cast")
}

/** A migrated database without any organization, until the test ends. */
export const emptyDatabase = (t: Test) => lend(t, [], null)

/**
 * The same, open without a server. Who needs plans for tables that it has counted, or changes a table, makes a database of
 * its own (test-database.ts): a lent one keeps both.
 */
export const openEmpty = async (t: Test) => {
  const runtime = ManagedRuntime.make((await emptyDatabase(t)).layer.pipe(Layer.provide(Logger.layer([]))))
  t.teardown(() => runtime.dispose())
  const database = await runtime.runPromise(Database)
  return {
    database,
    query: (...call: Parameters<typeof database.query>) => Effect.runPromise(database.query(...call)),
  }
}
