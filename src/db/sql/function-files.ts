/**
 * The .sql files of functions. A change of one, known by the digest of its text, is created in the database by the next
 * start (migrate.ts). Read one by one by the build and by tests; a start has them from built-sql.ts.
 */
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { basename } from "node:path"
import { packageFile } from "../package-root.ts"

/**
 * One .sql file of `create or replace function`s, which carry a version in their names. `name` is that of the file without
 * its folders: no other file has it, and the file may move without being run anew.
 */
export interface FunctionFile {
  readonly name: string
  readonly sql: string
  readonly digest: string
}

export const functionFile = (name: string, sql: string): FunctionFile => ({
  name,
  sql,
  digest: createHash("sha256").update(sql).digest("hex"),
})

/** `path` is relative to the package. */
export const readFunctions = async (path: string): Promise<FunctionFile> =>
  functionFile(basename(path), await readFile(packageFile(path), "utf8"))

/** The functions of all capabilities: every .sql file below src but the migrations, by name. */
export const readAllFunctions = async (): Promise<ReadonlyArray<FunctionFile>> => {
  const names = await readdir(packageFile("src"), { recursive: true })
  const files = names.map((name) => `src/${name.replaceAll("\\", "/")}`).sort()
  const functions = await Promise.all(
    files.filter((name) => name.endsWith(".sql") && !name.startsWith("src/db/migrations/")).map(readFunctions),
  )
  const twice = functions.find(({ name }, i) => functions.findIndex((other) => other.name === name) !== i)
  if (twice !== undefined) throw new Error(`Two files of functions are called ${twice.name}`)
  return functions
}
