/**
 * One server per data folder: a lock of the operating system on the file `hold.lock`, which ends with the process that
 * took it, however that dies. The kernel keeps it on the file itself, so it holds between containers that share a
 * volume too. The file stays when the lock ends: removing it would let two processes lock two files of one name.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { oneLine } from "./one-line.ts"
import { DatabaseHeld, DatabaseUnusable } from "./open-failures.ts"

/** The part of the package fs-native-extensions that is used; it comes without types. */
interface FileLocks {
  /** Locks the whole file for this descriptor alone; false where another one has it. Does not wait. */
  readonly tryLock: (descriptor: number) => boolean
}

/** Locks an open file until its descriptor is closed; false where another one has it. Throws where there are no locks. */
export const tryLock = (descriptor: number): boolean => {
  const locks: FileLocks = createRequire(import.meta.url)("fs-native-extensions")
  return locks.tryLock(descriptor)
}

/** A killed process of several hundred megabytes needs a moment before the kernel takes its lock back. */
const patienceMs = 500
const betweenTriesMs = 25

export type LockHolder = "server" | "backup"

/** Holds `data-folders`, which exists, until the scope closes or the process dies. Others that want it are told by whom. */
export const holdFolder = (
  folder: string,
  holder: LockHolder = "server",
): Effect.Effect<void, DatabaseHeld | DatabaseUnusable, Scope.Scope> =>
  Effect.acquireRelease(takeLock(folder, holder), (descriptor) => Effect.sync(() => closeSync(descriptor))).pipe(
    Effect.asVoid,
  )

/** Succeeds with the descriptor that has the lock. Closing it gives the lock back. */
const takeLock = (folder: string, holder: LockHolder): Effect.Effect<number, DatabaseHeld | DatabaseUnusable> =>
  Effect.tryPromise({
    try: async () => {
      const giveUpAt = performance.now() + patienceMs
      // A bare descriptor: a FileHandle is closed by the garbage collector when nobody refers to it.
      const descriptor = openSync(join(folder, "hold.lock"), "a", 0o600)
      try {
        while (!tryLock(descriptor)) {
          if (performance.now() > giveUpAt) throw new DatabaseHeld({ message: heldMessage(folder) })
          await sleep(betweenTriesMs)
        }
        // What a dead holder has left there goes.
        ftruncateSync(descriptor)
        if (holder === "backup") writeSync(descriptor, backupText)
        return descriptor
      } catch (error) {
        closeSync(descriptor)
        throw error
      }
    },
    catch: (error) =>
      error instanceof DatabaseHeld
        ? error
        : new DatabaseUnusable({ message: `The data folder ${folder} cannot be locked: ${oneLine(error)}` }),
  })

/** What is in the lock's file while a backup has it; with a server there is nothing. */
const backupText = "backup\n"

const heldMessage = (folder: string): string =>
  readFileSync(join(folder, "hold.lock"), "utf8") === backupText
    ? `A backup copies the database in ${folder}`
    : `Another server is using the data folder ${folder}`
