/**
 * Makes the folders that a server needs; those that it made and that are still empty at its end are removed again.
 * Used by main.ts for the data folder and by open-database.ts for the database in it.
 */
import { accessSync, constants, mkdirSync, readdirSync, rmdirSync, statfsSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { oneLine } from "./one-line.ts"
import { DatabaseUnusable } from "./open-failures.ts"

/** Makes sure that `data-folders` exists and can be written. Fails with one line that names it; `what`: what it is to an operator. */
export const useFolder = (folder: string, what = "data folder"): Effect.Effect<void, DatabaseUnusable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const made = makeFolder(folder)
        accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
        return made
      },
      catch: (error) => folderUnusable(folder, error, what),
    }),
    (made) => Effect.sync(() => removeEmpty(made)),
  ).pipe(Effect.asVoid)

/** Less than a start writes: a disk with so little room counts as full. */
const leastBytes = 256 * 1024

/** Text to add to a failure in `data-folders` that does not tell that its disk is full; PGlite's do not. */
export const spaceHint = (folder: string): string => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < leastBytes ? " (no space left on device)" : ""
  } catch {
    return ""
  }
}

export const folderUnusable = (folder: string, error: unknown, what = "data folder"): DatabaseUnusable =>
  new DatabaseUnusable({ message: `The ${what} ${folder} cannot be used: ${oneLine(error)}` })

/** Returns the folders that it has made, the outermost first. Node's own recursive mkdir never returns below /proc. */
const makeFolder = (folder: string): ReadonlyArray<string> => {
  if (isFolder(folder)) return []
  const above = dirname(folder) === folder ? [] : makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another starter may have made it in between.
    if (isFolder(folder)) return above
    removeEmpty(above)
    throw error
  }
  return [...above, folder]
}

const isFolder = (path: string): boolean => {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/**
 * Makes sure that everything in `data-folders` can be read and written: some 400 files of a young database, 5 ms. PGlite only
 * says that it cannot open, or finds out at the first write.
 */
export const requireUsable = (folder: string): Effect.Effect<void, DatabaseUnusable> =>
  Effect.try({
    try: () => {
      for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
        const { R_OK, W_OK, X_OK } = constants
        accessSync(join(entry.parentPath, entry.name), entry.isDirectory() ? R_OK | W_OK | X_OK : R_OK | W_OK)
      }
    },
    catch: (error) => folderUnusable(folder, error),
  })

const removeEmpty = (folders: ReadonlyArray<string>): void => {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

const ours = /^(cluster|hold\.lock|synced|\.backup|\.cluster\.new-[0-9a-f]+|lost\+found)$/

/**
 * A file in the database folder that no server of ours has put there; undefined if there is none. A folder that holds
 * a database is ours, whatever lies beside it.
 */
export const findForeignFile = (folder: string): string | undefined => {
  const namesIn = (path: string) => (isFolder(path) ? readdirSync(path) : [])
  const cluster = join(folder, "cluster")
  const inCluster = namesIn(cluster)
  if (inCluster.includes("PG_VERSION")) return undefined
  const foreign = namesIn(folder).find((name) => !ours.test(name))
  return foreign ?? (inCluster[0] === undefined ? undefined : `cluster/${inCluster[0]}`)
}
