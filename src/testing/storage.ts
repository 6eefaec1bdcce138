/**
 * Where the data of one server is: a lent database, a place of somebody's choice, or a copy on a PostgreSQL server. Loaded
 * before the program itself is, so that a database opens meanwhile.
 */
import { readFile } from "node:fs/promises"
import type { ConfigShape } from "../config/config.ts"
import { openMigratedDatabase } from "../db/open/open.ts"
import { packageFile } from "../db/package-root.ts"
import type { Fill, Storage } from "./core.ts"
import { LentDatabases, type Told } from "./lent-databases.ts"
import type { Organization } from "./organizations.ts"
import type { ServerOptions } from "./types.ts"

/** The rows of both organizations, written by the build (make-beginnings.ts). Without it they are made at the first start. */
export const beginningsFile = () => packageFile("dist/beginnings.json")

/** Those of this process. */
const embedded = new LentDatabases()
/** Number of servers that have one of these now. */
let lentNow = 0

const readBeginnings = async (): Promise<void> => {
  const text = await readFile(beginningsFile(), "utf8").catch(() => "{}")
  // Our own build wrote it.
  const all: Readonly<Record<string, Told>> = JSON.parse(text)
  for (const [name, told] of Object.entries(all)) embedded.learn(name, told)
}

/** What has been begun before it was asked for. */
let reading: Promise<void> | undefined
/** Servers of a process are begun at once, and each would make the same. */
const making = new Map<Organization, Promise<void>>()

const make = async (organization: Organization, fill: Fill): Promise<void> => {
  const { config, layerOf, keep, giveBack } = await embedded.lend(organization)
  try {
    await fill(organization, { config, layer: () => layerOf([]) })
    await keep()
  } finally {
    giveBack()
  }
}

/** Has the organization known, from the build or by making it once. */
const learn = async (organization: Organization, fill: Fill): Promise<void> => {
  reading ??= readBeginnings()
  await reading
  if (embedded.told(organization) !== undefined) return
  const made = making.get(organization) ?? make(organization, fill)
  making.set(organization, made)
  try {
    await made
  } finally {
    making.delete(organization)
  }
}

const lend = async (organization: Organization, fill: Fill): Promise<Storage> => {
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
  reading ??= readBeginnings()
  embedded.openAhead()
}

/** Whoever has two servers at once will want a third. Called when a server has started. */
export const openFurther = (): void => {
  if (lentNow > 1) embedded.openAhead()
}

/** Nothing is made ready there, and nothing removed. */
const own = ({ database }: ConfigShape): Storage => ({
  config: database,
  layer: () => openMigratedDatabase(database),
  isFilled: false,
  giveBack: async () => {},
})

export const storageOf = async (
  { organization = "demo", database, dataFolder }: ServerOptions,
  config: ConfigShape,
  fill: Fill,
): Promise<Storage> => {
  if (database !== undefined) {
    const { copyDatabase } = await import("./copies-store.ts")
    return copyDatabase(database, organization, fill)
  }
  return dataFolder === undefined && config.database.kind === "pglite" ? lend(organization, fill) : own(config)
}

/** The rows of both organizations, as the build writes them. */
export const makeBeginnings = async (fill: Fill): Promise<string> => {
  const organizations: ReadonlyArray<Organization> = ["demo", "empty"]
  for (const organization of organizations) await make(organization, fill)
  const all = organizations.map((organization) => [organization, embedded.told(organization)] as const)
  await embedded.close()
  return JSON.stringify(Object.fromEntries(all))
}
