/**
 * Where the data is if nobody says. The embedded database has `data`, and PostgreSQL a folder of its own, because both put
 * uploads and a secret there: what one of them names, the other would remove. Installations of before that share `data` keep it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { DatabaseConfig } from "./config.ts"
import { markFile } from "./folder-mark-file.ts"

const embeddedFolder = "data"
const postgresFolder = "data-postgresql"

/** Whether a mark in the folder says that its files are the embedded database's. */
const isEmbedded = (folder: string): boolean => {
  try {
    return readFileSync(join(folder, "files", markFile), "utf8").includes('"kind":"pglite"')
  } catch {
    return false
  }
}

/** `kind`: the database that is used; `at`: the folder in which the program was started. */
export const defaultDataFolder = (kind: DatabaseConfig["kind"], at: string): string => {
  const [embedded, own] = [join(at, embeddedFolder), join(at, postgresFolder)]
  if (kind === "pglite") return embedded
  const isUsed = ["files", "secret"].some((name) => existsSync(join(embedded, name)))
  return isUsed && !isEmbedded(embedded) && !existsSync(own) ? embedded : own
}
