/**
 * PGlite's files in a folder of the system, as its own `NodeFS`, but with syncs that reach the disk: Emscripten's file
 * system has none and tells PostgreSQL that all went well. It is in place before PostgreSQL starts, so recovery is
 * synced too. A new file's folder is synced with the file: PostgreSQL takes that for granted, POSIX does not. What was
 * not changed since it was synced is not synced again: a recovery asks for 1,100 syncs, a disk needs 2 ms for each.
 * So all that is there when it starts must be on the disk already: pglite-open.ts sees to that.
 */
import { fdatasyncSync, fsyncSync } from "node:fs"
import { NodeFS } from "@electric-sql/pglite/nodefs"
import * as Predicate from "effect/Predicate"
import { isNoFolderSync, syncFolder } from "./sync.ts"

/** The parts of Emscripten's NODEFS that are used; they come without types. A node is a file or folder by its name. */
interface FileNode {
  readonly mode: number
  readonly parent: FileNode
}

interface FileStream {
  readonly node: FileNode
  /** The descriptor of the open file or folder. */
  readonly nfd: number
}

interface NodeFiles {
  readonly realPath: (node: FileNode) => string
  readonly node_ops: {
    setattr: (node: FileNode, ...rest: ReadonlyArray<unknown>) => unknown
    mknod: (parent: FileNode, ...rest: ReadonlyArray<unknown>) => FileNode
    symlink: (parent: FileNode, ...rest: ReadonlyArray<unknown>) => unknown
    rename: (node: FileNode, folder: FileNode, ...rest: ReadonlyArray<unknown>) => unknown
    unlink: (parent: FileNode, ...rest: ReadonlyArray<unknown>) => unknown
    rmdir: (parent: FileNode, ...rest: ReadonlyArray<unknown>) => unknown
  }
  readonly stream_ops: {
    setattr: (stream: FileStream, ...rest: ReadonlyArray<unknown>) => unknown
    write: (stream: FileStream, ...rest: ReadonlyArray<unknown>) => unknown
    fsync?: (stream: FileStream) => number
  }
}

/** Emscripten's numbers, which PostgreSQL turns into texts. What is not in the list must be a failure all the same. */
const numbers: Readonly<Record<string, number>> = { EDQUOT: 19, EIO: 29, ENOSPC: 51, EROFS: 69 }
const numberOf = (error: unknown): number =>
  (Predicate.hasProperty(error, "code") ? numbers[String(error.code)] : undefined) ?? 29

const isFolder = ({ mode }: FileNode): boolean => (mode & 0o170000) === 0o040000

const syncThrough = (files: NodeFiles): void => {
  const { node_ops, stream_ops } = files
  /** Files whose content, and folders whose entries, were changed since they were synced. */
  const changed = new WeakSet<FileNode>()
  /** New files that were never synced. */
  const fresh = new WeakSet<FileNode>()

  // Noted before it is tried: what fails may have been done in part.
  const { mknod, symlink, rename, unlink, rmdir, setattr } = node_ops
  node_ops.mknod = (parent, ...rest) => {
    changed.add(parent)
    const node = mknod(parent, ...rest)
    changed.add(node)
    fresh.add(node)
    return node
  }
  node_ops.symlink = (parent, ...rest) => {
    changed.add(parent)
    return symlink(parent, ...rest)
  }
  node_ops.rename = (node, folder, ...rest) => {
    changed.add(node.parent)
    changed.add(folder)
    return rename(node, folder, ...rest)
  }
  node_ops.unlink = (parent, ...rest) => {
    changed.add(parent)
    return unlink(parent, ...rest)
  }
  node_ops.rmdir = (parent, ...rest) => {
    changed.add(parent)
    return rmdir(parent, ...rest)
  }
  node_ops.setattr = (node, ...rest) => {
    changed.add(node)
    return setattr(node, ...rest)
  }
  const { write, setattr: setStream } = stream_ops
  stream_ops.write = (stream, ...rest) => {
    changed.add(stream.node)
    return write(stream, ...rest)
  }
  stream_ops.setattr = (stream, ...rest) => {
    changed.add(stream.node)
    return setStream(stream, ...rest)
  }

  const syncChanged = (node: FileNode, sync: () => void): void => {
    if (!changed.has(node)) return
    sync()
    changed.delete(node)
  }
  stream_ops.fsync = ({ node, nfd }) => {
    try {
      // For a file without its times: they matter to nobody, its length does.
      syncChanged(node, () => (isFolder(node) ? fsyncSync(nfd) : fdatasyncSync(nfd)))
      if (fresh.has(node)) syncChanged(node.parent, () => syncFolder(files.realPath(node.parent)))
      fresh.delete(node)
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
