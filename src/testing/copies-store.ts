/**
 * Databases on a PostgreSQL server. Each server of a test has a copy of a template with its organization, which goes with
 * it. The template stays there for the next test: its name has the version of the program's SQL. Who finds none makes one.
 */
import { createHash, randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { DatabaseConfig } from "../config/config.ts"
import { openMigratedDatabase } from "../db/open/open-database.ts"
import { packageFile } from "../db/package-root.ts"
import { administer, databaseAt } from "./opened-databases.ts"
import type { TestOrganization } from "./organizations.ts"
import type { FillDatabase, ServerStorage } from "./server-core.ts"

const prefix = "parley_testing"
const newName = (): string => `${prefix}_${randomBytes(6).toString("hex")}`

const templateOf = async (organization: string): Promise<string> => {
  const digest = createHash("sha256")
  for (const file of ["dist/sql.json", "package.json"]) digest.update(await readFile(packageFile(file)))
  return `${prefix}_template_${organization}_${digest.digest("hex").slice(0, 12)}`
}

const drop = async (admin: string, name: string): Promise<void> => {
  await administer(admin, `drop database if exists ${name} with (force)`)
}

const isThere = async (admin: string, name: string): Promise<boolean> =>
  (await administer(admin, `select 1 from pg_database where datname = '${name}'`)).length > 0

const at = (admin: string, name: string) => {
  const config: DatabaseConfig = { kind: "postgres", url: databaseAt(admin, name) }
  return { config, layer: () => openMigratedDatabase(config) }
}

/** Whoever is second to finish it drops its own. */
const makeTemplate = async (admin: string, template: string, organization: TestOrganization, fill: FillDatabase) => {
  const name = newName()
  await administer(admin, `create database ${name}`)
  try {
    await fill(organization, at(admin, name))
    await administer(admin, `alter database ${name} rename to ${template}`)
  } catch (error) {
    await drop(admin, name)
    if (!(await isThere(admin, template))) throw error
  }
}

/** A copy with this organization, which `fill` puts into an empty database. */
export const copyDatabase = async (
  admin: string,
  organization: TestOrganization,
  fill: FillDatabase,
): Promise<ServerStorage> => {
  const template = await templateOf(organization)
  if (!(await isThere(admin, template))) await makeTemplate(admin, template, organization, fill)
  const name = newName()
  await administer(admin, `create database ${name} template ${template}`)
  return { ...at(admin, name), isFilled: true, giveBack: () => drop(admin, name) }
}
