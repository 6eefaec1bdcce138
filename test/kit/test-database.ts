/**
 * An empty database of its own for a test file: on the PostgreSQL server at PARLEY_TEST_DATABASE_URL if that is set,
 * else in a PGlite folder. It is deleted when the test ends.
 */
import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { DatabaseConfig } from "../../src/config/config.ts"
import { Database } from "../../src/db/database.ts"
import { Scripts } from "../../src/db/statement.ts"
import { administer, databaseAt } from "../../src/testing/opened-databases.ts"

export { administer, databaseAt } from "../../src/testing/opened-databases.ts"

export const adminUrl = process.env["PARLEY_TEST_DATABASE_URL"]

interface Teardown {
  readonly teardown: (clean: () => Promise<void>) => void
}

/** `template`: the name of one that nobody has open, which is copied. */
export const createPostgresDatabase = async (t: Teardown, admin: string, template?: string): Promise<string> => {
  const name = `parley_${randomBytes(6).toString("hex")}`
  await administer(admin, `create database ${name}${template === undefined ? "" : ` template ${template}`}`)
  t.teardown(async () => void (await administer(admin, `drop database ${name} with (force)`)))
  return databaseAt(admin, name)
}

export const createFolder = async (t: Teardown): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-test-"))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export const createDatabase = async (t: Teardown): Promise<DatabaseConfig> =>
  adminUrl === undefined
    ? { kind: "pglite", folder: await createFolder(t), sync: false }
    : { kind: "postgres", url: await createPostgresDatabase(t, adminUrl) }

/** The layer's services as promises; rejects with the tagged error. `close` may be called by the test, too. */
export const openLayer = async <E>(t: Teardown, layer: Layer.Layer<Database | Scripts, E>) => {
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provide(Logger.layer([]))))
  t.teardown(() => runtime.dispose())
  const database = await runtime.runPromise(Database)
  const scripts = await runtime.runPromise(Scripts)
  return {
    database,
    run: <A, F>(effect: Effect.Effect<A, F, Database | Scripts>) => runtime.runPromise(effect),
    query: (...call: Parameters<typeof database.query>) => Effect.runPromise(database.query(...call)),
    write: (...call: Parameters<typeof database.write>) => Effect.runPromise(database.write(...call)),
    script: (sql: string) => Effect.runPromise(scripts.run(sql)),
    close: () => runtime.dispose(),
  }
}

/** By how much longer the machine may take while it does other things. */
const busy = 6

/**
 * Polls until `condition` holds. Fails where it does not within several times `ms`, the milliseconds in which it holds for
 * certain on a quiet machine.
 */
export const until = async (what: string, ms: number, condition: () => boolean | Promise<boolean>): Promise<number> => {
  const began = performance.now()
  while (!(await condition())) {
    if (performance.now() - began > busy * ms) throw new Error(`not within ${busy * ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return performance.now() - began
}
