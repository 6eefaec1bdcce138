/**
 * All SQL of the program in one file, dist/sql.json, which the build writes (make-image.ts): a start would else find, read
 * and digest seventy files, for what nearly always proves to be in the database already.
 */
import { readFile, writeFile } from "node:fs/promises"
import { packageFile } from "../package-root.ts"
import { type FunctionFile, readAllFunctions } from "./function-files.ts"
import { type Migrations, readMigrations } from "./migrations.ts"

export interface Sql {
  readonly migrations: Migrations
  readonly functions: ReadonlyArray<FunctionFile>
}

const builtFile = () => packageFile("dist/sql.json")

/** From the sources. */
export const gatherSql = async (): Promise<Sql> => ({
  migrations: await readMigrations(),
  functions: await readAllFunctions(),
})

export const writeBuiltSql = (sql: Sql): Promise<void> => writeFile(builtFile(), JSON.stringify(sql))

export const readBuiltSql = async (): Promise<Sql> => {
  // Our own build wrote it: a schema would only check that.
  const sql: Sql = JSON.parse(await readFile(builtFile(), "utf8"))
  return sql
}
