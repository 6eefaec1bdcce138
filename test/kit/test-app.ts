/** The program in this process, without its command line: on a free port, with the clock that it is given. */
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
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

export { runApp as startTestApp } from "../../src/testing/run-app.ts"
