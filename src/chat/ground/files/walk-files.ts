/** Finds the files of a folder for files, a folder at a time. What is being written has no name yet, and is left out. */
import type { Dirent } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"
import { type FileName, findFileName } from "./files.ts"

export const isMissing = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ENOENT"

const entriesOf = (folder: string): Promise<ReadonlyArray<Dirent>> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })

/** `leftOut`: folders of each organization that are not looked into. The trash is none. */
export async function* walkFiles(
  folder: string,
  leftOut: ReadonlyArray<string> = [],
  segments: ReadonlyArray<string> = [],
): AsyncGenerator<FileName> {
  const entries = await entriesOf(join(folder, ...segments))
  for (const entry of [...entries].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = [...segments, entry.name]
    if (entry.isDirectory()) {
      const isLeftOut = entry.name.startsWith(".") || (path.length === 2 && leftOut.includes(entry.name))
      if (!isLeftOut) yield* walkFiles(folder, leftOut, path)
    } else {
      const name = findFileName(path.join("/"))
      if (name !== undefined && entry.isFile()) yield name
    }
  }
}
