/**
 * The file that an archive is while it is written. A lock of the operating system on it tells one that is being written from
 * one that a killed process has left, and ends with the process.
 */
import { type FileHandle, open, rm, stat } from "node:fs/promises"
import * as Predicate from "effect/Predicate"
import { tryLock } from "../../db/folder-lock.ts"
import { fail } from "./archive-format.ts"

const isCode = (error: unknown, code: string): boolean => Predicate.hasProperty(error, "code") && error.code === code

/** Some network file systems have no locks. There one writer notices another one only at its end (`isAt`). */
const lock = ({ fd }: FileHandle): boolean => {
  try {
    return tryLock(fd)
  } catch {
    return true
  }
}

/** Whether the name still leads to the open file. */
export const isAt = async (handle: FileHandle, path: string): Promise<boolean> => {
  const own = await handle.stat({ bigint: true })
  try {
    const there = await stat(path, { bigint: true })
    return there.ino === own.ino && there.dev === own.dev
  } catch (error) {
    if (isCode(error, "ENOENT")) return false
    throw error
  }
}

const busy = (part: string) =>
  fail(`Another backup is writing ${part}: choose another name, or wait until it has ended`)

const removeLeft = async (part: string): Promise<void> => {
  let left: FileHandle
  try {
    left = await open(part, "r+")
  } catch (error) {
    if (isCode(error, "ENOENT")) return
    throw error
  }
  try {
    if (!lock(left)) throw busy(part)
    if (await isAt(left, part)) await rm(part, { force: true })
  } finally {
    await left.close()
  }
}

/** Makes the file, which only its owner may read, locked until the handle is closed. What a killed process has left goes. */
export const openPart = async (part: string): Promise<FileHandle> => {
  await removeLeft(part)
  let made: FileHandle
  try {
    made = await open(part, "wx", 0o600)
  } catch (error) {
    throw isCode(error, "EEXIST") ? busy(part) : error
  }
  // Before the lock is there, another one may take the file for one that was left.
  if (lock(made) && (await isAt(made, part))) return made
  await made.close()
  throw busy(part)
}
