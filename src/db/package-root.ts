/** Where the program's own files lie: SQL is read from there, from the checkout and from an installed package alike. */
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The nearest folder above this file that holds both package.json and schema.sql. */
const findRoot = (from: string): string => {
  if (existsSync(join(from, "package.json")) && existsSync(join(from, "schema.sql"))) return from
  const above = dirname(from)
  if (above === from) throw new Error("The program's folder (package.json with schema.sql) is not above its code")
  return findRoot(above)
}

let root: string | undefined

/** `path` is relative to the package, such as `src/chat/messages.sql`. */
export const packageFile = (path: string): string => {
  root ??= findRoot(dirname(fileURLToPath(import.meta.url)))
  return join(root, path)
}

/** For the lists of functions that `migrate` takes. */
export const readSql = async (path: string): Promise<{ readonly name: string; readonly sql: string }> => ({
  name: path,
  sql: await readFile(packageFile(path), "utf8"),
})
