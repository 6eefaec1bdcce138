/**
 * Whether a power cut can have taken something from an embedded database. The answer is a mark in its folder: the file
 * `synced` is there if everything that was ever acknowledged was on the disk at once. A run without sync removes it
 * before it writes anything, as a commit of its own might be lost; a run with sync makes it once the past is judged
 * (server-state.ts). The mark names the inode of the control file, which no copy or restored backup has.
 * Called by open.ts.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Durability } from "../database.ts"
import { oneLine } from "../one-line.ts"
import { syncFile, syncFolder, syncFoldersAbove, syncTree } from "./sync.ts"

const inodeOf = (cluster: string): string | null => {
  const control = statSync(join(cluster, "global", "pg_control"), { bigint: true, throwIfNoEntry: false })
  return control === undefined ? null : `${control.ino}\n`
}

const isMarked = (mark: string, cluster: string): boolean =>
  existsSync(mark) && readFileSync(mark, "utf8") === inodeOf(cluster)

/** Before the cluster in `folder`, which nobody else uses, is made or opened. Throws what the disk answers. */
export const beginDurability = async (folder: string, cluster: string, sync: boolean): Promise<Durability> => {
  const mark = join(folder, "synced")
  const past = isMarked(mark, cluster)
  if (!past || !sync) {
    rmSync(mark, { force: true })
    syncFolder(folder)
  }
  // PostgreSQL takes what it finds for synced, unless it has to recover.
  if (sync && !past && existsSync(cluster)) await syncTree(cluster)
  const makeMark = (): void => {
    // The folders on the way, and the secret that was made beside them.
    syncFoldersAbove(cluster)
    if (past) return
    const inode = inodeOf(cluster)
    if (inode === null) throw new Error("the database has no control file")
    writeFileSync(mark, inode, { mode: 0o600 })
    syncFile(mark)
    syncFolder(folder)
  }
  const begin = Effect.try(makeMark).pipe(
    // Without the mark nothing is lost, but queues may end after the next power cut.
    Effect.catch((failure) => Effect.logWarning(`${mark} cannot be written: ${oneLine(failure.cause)}`)),
  )
  return { past, begin: sync ? begin : Effect.void }
}
