/** Where the program's own files lie: SQL is read from there, from the checkout and from an installed package alike. */
import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The nearest folder above this file that holds both package.json and schema.sql. */
const findRoot = (from: string): string => {
  if (existsSync(join(from, "package.json")) && existsSync(join(from, "schema.sql"))) return from
  const above = dirname(from)
  if (above === from) throw new Error("The program's folder (package.json with schema.sql) is not above its code")
  return findRoot(above)
}

let root: string | undefined

/** `path` is relative to the package, such as `src/chat/people/users/users.sql`. */
export const packageFile = (path: string): string => {
  root ??= findRoot(dirname(fileURLToPath(import.meta.url)))
  return join(root, path)
}

/** For the lists of functions that `migrate` takes. `name` is without folders: a file that moves is still the same. */
export const readSql = async (path: string): Promise<{ readonly name: string; readonly sql: string }> => ({
  name: basename(path),
  sql: await readFile(packageFile(path), "utf8"),
})

/** The functions of all capabilities: every .sql file below src but the migrations, by name. */
export const readAllSql = async (): Promise<ReadonlyArray<{ readonly name: string; readonly sql: string }>> => {
  const names = await readdir(packageFile("src"), { recursive: true })
  const files = names.map((name) => `src/${name.replaceAll("\\", "/")}`).sort()
  const functions = await Promise.all(
    files.filter((name) => name.endsWith(".sql") && !name.startsWith("src/db/migrations/")).map(readSql),
  )
  const twice = functions.find(({ name }, i) => functions.findIndex((other) => other.name === name) !== i)
  if (twice !== undefined) throw new Error(`Two files of functions are called ${twice.name}`)
  return functions
}
