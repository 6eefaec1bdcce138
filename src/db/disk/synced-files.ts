/**
 * PGlite's files in a folder of the system, as its own `NodeFS`, but with syncs that reach the disk: Emscripten's file
 * system has none and tells PostgreSQL that all went well. It is in place before PostgreSQL starts, so recovery is
 * synced too. A new file's folder is synced with the file: PostgreSQL takes that for granted, POSIX does not.
 * Used by pglite-open.ts.
 */
import { fdatasyncSync, fsyncSync } from "node:fs"
import { dirname } from "node:path"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as Predicate from "effect/Predicate"
import { isNoFolderSync, syncFolder } from "./sync.ts"

/** The parts of Emscripten's NODEFS that are used; they come without types. */
interface Node {
  readonly mode: number
}

interface Stream {
  readonly node: Node
  /** The descriptor of the open file or folder. */
  readonly nfd: number
}

interface NodeFiles {
  readonly realPath: (node: Node) => string
  readonly node_ops: {
    mknod: (parent: Node, name: string, mode: number, device: number) => Node
    rename: (node: Node, folder: Node, name: string) => void
    unlink: (folder: Node, name: string) => void
  }
  readonly stream_ops: { fsync?: (stream: Stream) => number }
}

/** Emscripten's numbers, which PostgreSQL turns into texts. What is not in the list must be a failure all the same. */
const numbers: Readonly<Record<string, number>> = { EDQUOT: 19, EIO: 29, ENOSPC: 51, EROFS: 69 }
const numberOf = (error: unknown): number =>
  (Predicate.hasProperty(error, "code") ? numbers[String(error.code)] : undefined) ?? 29

const isFolder = ({ mode }: Node): boolean => (mode & 0o170000) === 0o040000

const syncThrough = (files: NodeFiles): void => {
  /** Files whose entry in their folder may not be on the disk yet. */
  const fresh = new Set<string>()
  const { mknod, rename, unlink } = files.node_ops
  const pathIn = (folder: Node, name: string): string => `${files.realPath(folder)}/${name}`
  files.node_ops.mknod = (...made) => {
    const node = mknod(...made)
    fresh.add(files.realPath(node))
    return node
  }
  files.node_ops.rename = (node, folder, name) => {
    const wasFresh = fresh.delete(files.realPath(node))
    rename(node, folder, name)
    if (wasFresh) fresh.add(pathIn(folder, name))
  }
  files.node_ops.unlink = (folder, name) => {
    unlink(folder, name)
    fresh.delete(pathIn(folder, name))
  }
  const syncEntry = (path: string): void => {
    if (!fresh.has(path)) return
    const folder = dirname(path)
    syncFolder(folder)
    for (const each of fresh) if (dirname(each) === folder) fresh.delete(each)
  }
  files.stream_ops.fsync = ({ node, nfd }) => {
    try {
      if (isFolder(node)) fsyncSync(nfd)
      else {
        // It leaves out times, not sizes.
        fdatasyncSync(nfd)
        syncEntry(files.realPath(node))
      }
      return 0
    } catch (error) {
      return isFolder(node) && isNoFolderSync(error) ? 0 : numberOf(error)
    }
  }
}

export class SyncedFiles extends NodeFS {
  override async init(...given: Parameters<NodeFS["init"]>): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...given)
    const preRun = [
      ...(emscriptenOpts.preRun ?? []),
      ({ NODEFS }: { readonly NODEFS: NodeFiles }) => syncThrough(NODEFS),
    ]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}
