/** The files that a backup has: all of the server's folder for files except thumbnails and exports, which can be made again. */
import { type FileHandle, open } from "node:fs/promises"
import { join } from "node:path"
import type { FileName } from "../../chat/ground/files/files.ts"
import { isMissing, walkFiles } from "../../chat/ground/files/walk-files.ts"
import { exportsFolder } from "../../chat/organization/realm-exports/export-list.ts"

/**
 * In the folder of each organization: thumbnails are made anew where they are wanted, and exports, of which each is as large as
 * all else, may be made again.
 */
const leftOut: ReadonlyArray<string> = ["thumbnails", exportsFolder]

/** Their names, a folder at a time. */
export const findFiles = (folder: string): AsyncGenerator<FileName> => walkFiles(folder, leftOut)

/** Has a file read by `use`, as it is when it is opened: one that is removed meanwhile is read to its end. False: it is gone. */
export const withFile = async (
  folder: string,
  name: FileName,
  use: (size: number, parts: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<boolean> => {
  let handle: FileHandle
  try {
    handle = await open(join(folder, ...name.split("/")), "r")
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
  try {
    const { size } = await handle.stat()
    await use(size, partsOf(handle, size))
    return true
  } finally {
    await handle.close()
  }
}

const partBytes = 256 * 1024

async function* partsOf(handle: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const part = Buffer.allocUnsafe(Math.min(partBytes, size - at))
    const { bytesRead } = await handle.read(part, 0, part.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield part.subarray(0, bytesRead)
  }
}
