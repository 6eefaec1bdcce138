/**
 * The database's shapes, in files: schema.sql is always the newest one and is all that an empty database gets;
 * the files of src/db/migrations, numbered from 002 without gaps, bring an older one there. A change of the schema
 * comes as both. File 001 there is the oldest shape, from which any in between can be made: for a backup of that time.
 * Read by the build (sql/built-sql.ts) and by tests.
 */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { packageFile } from "../package-root.ts"

export interface MigrationStep {
  /** The database's version after it. */
  readonly version: number
  readonly name: string
  readonly sql: string
  /** Programs that do not know it could not go on beside it: no other process may serve while it is done. */
  readonly isAlone?: boolean
}

export interface Migrations {
  /** Makes version 1 from nothing. */
  readonly first?: string
  /** Makes the newest version from nothing. */
  readonly schema: string
  readonly steps: ReadonlyArray<MigrationStep>
}

/** Programs of these versions could not serve beside others. */
const lastWithoutOthers = 56

/** A step says in its first line why no other process may serve beside it: `-- alone: ...`. */
const isAlone = (version: number, sql: string): boolean => version <= lastWithoutOthers || sql.startsWith("-- alone: ")

export const newestVersion = (migrations: Migrations): number => migrations.steps.at(-1)?.version ?? 1

export const readMigrations = async (): Promise<Migrations> => {
  const folder = packageFile("src/db/migrations")
  const [first = "", ...names] = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort()
  const steps = await Promise.all(
    names.map(async (name) => {
      const [version, sql] = [Number.parseInt(name, 10), await readFile(join(folder, name), "utf8")]
      return { version, name, sql, isAlone: isAlone(version, sql) }
    }),
  )
  const misplaced = steps.find((step, i) => step.version !== i + 2)
  if (misplaced !== undefined) throw new Error(`Migrations are numbered from 002 without gaps: ${misplaced.name}`)
  const schema = await readFile(packageFile("schema.sql"), "utf8")
  return { first: await readFile(join(folder, first), "utf8"), schema, steps }
}
