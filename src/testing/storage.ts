/** Where the data of one server is: a lent database, a folder of its own, or a copy on a PostgreSQL server. */
import type { ConfigShape, DatabaseConfig } from "../config/config.ts"
import { openMigratedDatabase } from "../db/open/open.ts"
import { copyDatabase } from "./copies-store.ts"
import type { Storage } from "./core.ts"
import { LentDatabases } from "./lent-databases.ts"
import type { ServerOptions } from "./types.ts"

/** Those of this process. */
const embedded = new LentDatabases()
/** Number of servers that have one of these now. */
let lentNow = 0

const lend = async (organization: string): Promise<Storage> => {
  lentNow++
  try {
    const lent = await embedded.lend(organization)
    return {
      config: lent.config,
      layer: () => lent.layerOf([]),
      isFilled: lent.isFilled,
      keep: lent.keep,
      giveBack: async () => {
        lentNow--
        lent.giveBack()
      },
    }
  } catch (error) {
    lentNow--
    throw error
  }
}

/** Whoever has two servers at once will want a third. Called when a server has started. */
export const openAhead = (): void => {
  if (lentNow > 1) embedded.openAhead()
}

/** Of whoever chose the place: nothing is made ready, and nothing is removed. */
const own = ({ database }: ConfigShape): Storage => ({
  config: database,
  layer: () => openMigratedDatabase(database),
  isFilled: false,
  keep: async () => {},
  giveBack: async () => {},
})

/** `fill` puts the organization into an empty database. */
export const storageOf = (
  { organization = "demo", database, dataFolder }: ServerOptions,
  config: ConfigShape,
  fill: (config: DatabaseConfig) => Promise<void>,
): Promise<Storage> | Storage => {
  if (database !== undefined) return copyDatabase(database, organization, fill)
  return dataFolder === undefined && config.database.kind === "pglite" ? lend(organization) : own(config)
}
