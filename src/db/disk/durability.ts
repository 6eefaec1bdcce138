/**
 * Whether a power cut can have taken something from an embedded database. The answer is a mark in its folder: the file
 * `synced` is there if everything that was ever acknowledged was on the disk. A run without sync removes it before it
 * writes anything, because a note in the database would be as uncertain as all that it writes, and makes it again at its
 * end, once all is synced. A run with sync makes it as soon as the past is judged (server-state.ts). The mark names the
 * control file by its inode and the time of its birth: a copy or a restored backup has another one, and its queues end.
 * Files that were copied over the old ones cannot be told from them. Called by open-database.ts.
 */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Durability } from "../database.ts"
import { oneLine } from "../one-line.ts"
import { syncFile, syncFolder, syncFoldersAbove, syncTree } from "./sync.ts"

/** The mark's text for a cluster; null where there is none. */
export const markOf = (cluster: string): string | null => {
  const control = statSync(join(cluster, "global", "pg_control"), { bigint: true, throwIfNoEntry: false })
  if (control === undefined) return null
  // For a file system that keeps no birth, systems answer 0 or the last change.
  const birth = control.birthtimeNs === control.ctimeNs ? 0n : control.birthtimeNs
  return `${control.ino} ${birth}\n`
}

/**
 * Called before the cluster in `folder` is made or opened, by who holds the folder; the scope's end comes when it has
 * been closed. The promise rejects with what the disk answers.
 */
export const durabilityOf = (folder: string, cluster: string, sync: boolean) => {
  const mark = join(folder, "synced")
  let judged = false
  let marked = false

  const makeMark = (): void => {
    const text = markOf(cluster)
    if (text === null) throw new Error("the database has no control file")
    writeFileSync(mark, text, { mode: 0o600 })
    syncFile(mark)
    syncFolder(folder)
    marked = true
  }
  // Without the mark nothing is lost, but queues may end after the next power cut.
  const complain = (cause: unknown) => Effect.logWarning(`${mark} cannot be made: ${oneLine(cause)}`)

  const open = async (): Promise<Durability> => {
    const found = existsSync(mark) ? readFileSync(mark, "utf8") : null
    marked = found !== null && found === markOf(cluster)
    const lostNothing = marked
    // A mark that was cut off while it was written is no sign of a copy.
    const isCopy = !marked && found?.endsWith("\n") === true && existsSync(cluster)
    judged = lostNothing
    if (!lostNothing || !sync) {
      rmSync(mark, { force: true })
      syncFolder(folder)
      marked = false
    }
    // Else only what was not closed would be (pglite-open.ts).
    if (sync && !lostNothing && existsSync(cluster)) await syncTree(cluster)
    const begin = Effect.try(() => {
      judged = true
      if (!sync) return
      // The folders on the way, and the secret that was made beside them.
      syncFoldersAbove(cluster)
      if (!marked) makeMark()
    }).pipe(Effect.catch(({ cause }) => complain(cause)))
    return { lostNothing, isCopy, begin }
  }

  const close = Effect.tryPromise(async () => {
    if (marked || !judged) return
    await syncTree(cluster)
    syncFoldersAbove(cluster)
    makeMark()
  }).pipe(Effect.catch(({ cause }) => complain(cause)))

  return { open, close }
}
