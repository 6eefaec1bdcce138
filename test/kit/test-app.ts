/** The program in this process, without its command line: on a free port, with the clock that it is given. */
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import { type AppOptions, startApp } from "../../src/app.ts"
import { type ConfigShape, type DatabaseConfig, defaultLimits, type Limits } from "../../src/config/config.ts"
import { productionConfig } from "./production-config.ts"

export const testConfig = (
  database: DatabaseConfig,
  changed: { readonly limits?: Partial<Limits>; readonly config?: Partial<ConfigShape> } = {},
): ConfigShape =>
  productionConfig({
    dataFolder: database.kind === "pglite" ? database.folder : "",
    filesFolder: join(tmpdir(), `parley-test-files-${randomBytes(8).toString("hex")}`),
    database,
    secret: "a secret that is only used in tests, and long enough",
    passwordCost: 16,
    // Some tests open hundreds of queues for one person.
    limits: { ...defaultLimits, queuesPerUser: 10_000, ...changed.limits },
    ...changed.config,
  })

/** Starts a server; `stop` ends it without draining, and may be called again. */
export const startTestApp = async (options: AppOptions) => {
  const scope = await Effect.runPromise(Scope.make())
  const app = await Effect.runPromise(
    startApp(options).pipe(Effect.provideService(Scope.Scope, scope), Effect.provide(Logger.layer([]))),
  )
  return { app, stop: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
