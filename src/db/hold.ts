/**
 * One server per data folder: a lock that the operating system takes back when its process dies, however it dies, so
 * that a leftover file never refuses a start. Linux: a socket in the abstract namespace, named after the folder, and
 * a socket file in the folder for processes in other network namespaces (containers that share a volume). macOS and
 * Windows: a file opened with the system's exclusive lock.
 */
import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open, realpath, stat, unlink } from "node:fs/promises"
import { connect, createServer, type Server } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"
import { DatabaseHeld } from "./failures.ts"

/** libuv's UV_FS_O_EXLOCK: atomic, refused at once if another process has it, released with the process. */
const exclusiveLock: Partial<Record<NodeJS.Platform, number>> = { darwin: 0x20, win32: 0x10000000 }

/** A killed process of several hundred megabytes needs a moment to let go. */
const patienceMs = 250
const betweenTriesMs = 25

type Release = () => Promise<void>

/** Holds `folder`, which exists, until the scope closes or the process dies. */
export const holdFolder = (folder: string): Effect.Effect<void, DatabaseHeld, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const path = await realpath(folder)
      const giveUpAt = performance.now() + patienceMs
      for (;;) {
        const release = await take(path)
        if (release !== null || performance.now() > giveUpAt) return release
        await sleep(betweenTriesMs)
      }
    }).pipe(
      Effect.flatMap((release) =>
        release === null
          ? Effect.fail(new DatabaseHeld({ message: `Another server is using the data folder ${folder}` }))
          : Effect.succeed(release),
      ),
    ),
    (release) => Effect.promise(release),
  ).pipe(Effect.asVoid)

/** Null: somebody else has it. */
const take = (path: string): Promise<Release | null> => {
  const flag = exclusiveLock[process.platform]
  return flag === undefined ? takeSockets(path) : takeFile(join(path, "hold.lock"), flag)
}

const takeFile = async (file: string, flag: number): Promise<Release | null> => {
  // O_NONBLOCK is undefined on Windows, where the lock never waits.
  const { O_RDWR, O_CREAT, O_NONBLOCK = 0 } = constants
  try {
    const handle = await open(file, O_RDWR | O_CREAT | O_NONBLOCK | flag, 0o600)
    return () => handle.close()
  } catch (error) {
    if (hasCode(error, "EAGAIN", "EWOULDBLOCK", "EBUSY", "EPERM", "EACCES")) return null
    throw error
  }
}

const takeSockets = async (path: string): Promise<Release | null> => {
  const name = createHash("sha256").update(path).digest("hex").slice(0, 32)
  const abstract = await listen(`\0parley-${name}`)
  if (abstract === null) return null
  const file = await takeSocketFile(path).catch(async (error: unknown) => {
    await close(abstract)
    throw error
  })
  if (file === null) {
    await close(abstract)
    return null
  }
  return async () => {
    await file()
    await close(abstract)
  }
}

/** The abstract socket has already decided between processes of this network namespace. */
const takeSocketFile = async (path: string): Promise<Release | null> => {
  // A socket's path is limited to 108 bytes, a folder's is not. Closing the server removes the file by this path too,
  // so the descriptor stays open as long.
  const folder = await open(path)
  const release = () => folder.close()
  try {
    const file = join(`/proc/self/fd/${folder.fd}`, "hold.sock")
    const left = await stat(file).catch(() => null)
    if (left !== null && !(await answers(file))) {
      // Unlinked only if it is still the one that did not answer.
      const now = await stat(file).catch(() => null)
      if (now?.ino === left.ino) await unlink(file).catch(() => undefined)
    }
    const server = await listen(file)
    if (server !== null) return () => close(server).then(release)
    await release()
    return null
  } catch (error) {
    await release()
    // A file system without sockets (some shared folders of virtual machines): the abstract socket has to do.
    if (hasCode(error, "ENOTSUP", "EOPNOTSUPP", "EPERM", "ENXIO")) return () => Promise.resolve()
    throw error
  }
}

const listen = (path: string): Promise<Server | null> =>
  new Promise((resolve, reject) => {
    const server = createServer((asking) => asking.destroy())
    server.once("error", (error) => (hasCode(error, "EADDRINUSE") ? resolve(null) : reject(error)))
    server.listen(path, () => resolve(server.unref()))
  })

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()))

const answers = (file: string): Promise<boolean> =>
  new Promise((resolve) => {
    const asking = connect(file)
    asking.once("connect", () => {
      asking.destroy()
      resolve(true)
    })
    asking.once("error", (error) => resolve(!hasCode(error, "ECONNREFUSED", "ENOENT", "ENOTSOCK")))
  })

const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean =>
  Predicate.hasProperty(error, "code") && Predicate.isString(error.code) && codes.includes(error.code)
