/**
 * Where the data of one server is: a lent database, a place of somebody's choice, or a copy on a PostgreSQL server. Loaded
 * before the program itself is, so that a database opens meanwhile.
 */
import { existsSync } from "node:fs"
import type { ConfigShape } from "../config/config.ts"
import { openMigratedDatabase } from "../db/open/open-database.ts"
import { packageFile } from "../db/package-root.ts"
import { LentDatabases } from "./lent-databases.ts"
import type { TestOrganization } from "./organizations.ts"
import type { FillDatabase, ServerStorage } from "./server-core.ts"
import type { ServerOptions } from "./types.ts"

const organizations: ReadonlyArray<TestOrganization> = ["empty", "demo"]

/** A database that keeps both organizations and holds the demo, written by a whole build (make-testing-image.ts). */
export const testingImage = () => packageFile("dist/pglite-image-testing.gz")

/** Those of this process. Without the image each organization is made once, at its first start. */
const embedded = new LentDatabases({
  image: existsSync(testingImage()) ? { file: testingImage(), beginnings: organizations } : undefined,
})
/** Number of servers that have one of these now. */
let lentNow = 0

/** Servers of a process are begun at once, and each would make the same. */
const making = new Map<TestOrganization, Promise<void>>()

const make = async (databases: LentDatabases, organization: TestOrganization, fill: FillDatabase): Promise<void> => {
  const { config, layerOf, keep, giveBack } = await databases.lend(organization)
  try {
    await fill(organization, { config, layer: () => layerOf([]) })
    await keep()
  } finally {
    giveBack()
  }
}

/** Has the organization known, from the image or by making it once. */
const learn = async (organization: TestOrganization, fill: FillDatabase): Promise<void> => {
  if (embedded.knows(organization)) return
  const made = making.get(organization) ?? make(embedded, organization, fill)
  making.set(organization, made)
  try {
    await made
  } finally {
    making.delete(organization)
  }
}

const lend = async (organization: TestOrganization, fill: FillDatabase): Promise<ServerStorage> => {
  await learn(organization, fill)
  const { config, layerOf, giveBack } = await embedded.lend(organization)
  lentNow++
  return {
    config,
    layer: () => layerOf([]),
    isFilled: true,
    giveBack: async () => {
      lentNow--
      giveBack()
    },
  }
}

/** Begins to open a database, where this server will need one. */
export const openEarly = ({ database, dataFolder }: ServerOptions): void => {
  if (database !== undefined || dataFolder !== undefined) return
  embedded.openAhead()
}

/** Whoever has two servers at once will want a third. Called when a server has started. */
export const openFurther = (): void => {
  if (lentNow > 1) embedded.openAhead()
}

/** Nothing is made ready there, and nothing removed. */
const own = ({ database }: ConfigShape): ServerStorage => ({
  config: database,
  layer: () => openMigratedDatabase(database),
  isFilled: false,
  giveBack: async () => {},
})

export const storageOf = async (
  { organization = "demo", database, dataFolder }: ServerOptions,
  config: ConfigShape,
  fill: FillDatabase,
): Promise<ServerStorage> => {
  if (database !== undefined) {
    const { copyDatabase } = await import("./copies-store.ts")
    return copyDatabase(database, organization, fill)
  }
  return dataFolder === undefined && config.database.kind === "pglite" ? lend(organization, fill) : own(config)
}

/** The image. */
export const makeTestingImage = async (fill: FillDatabase): Promise<Buffer> => {
  const databases = new LentDatabases()
  for (const organization of organizations) await make(databases, organization, fill)
  return databases.pack("demo")
}
