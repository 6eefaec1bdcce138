/**
 * The Unix socket for commands in the data folder, as both of its sides need it: one line of JSON each way. Its name tells
 * which database is served, so that nobody speaks to a server of another one that shares the folder.
 */
import { createHash } from "node:crypto"
import { closeSync, openSync } from "node:fs"
import { readdir } from "node:fs/promises"
import type { Socket } from "node:net"
import { join } from "node:path"
import type { ConfigShape, DatabaseConfig } from "../../../config/config.ts"

export type SocketLocation = Pick<ConfigShape, "dataFolder" | "database">

/** The name of the socket of a server that is alone, without `.sock`. */
const socketStem = (database: DatabaseConfig): string => {
  if (database.kind === "pglite") return "command"
  const { host, pathname, searchParams } = new URL(database.url)
  const place = [host, pathname, searchParams.get("host"), searchParams.get("port")]
  const digest = createHash("sha256").update(JSON.stringify(place)).digest("hex")
  return `command-${digest.slice(0, 12)}`
}

/** Of several processes that serve one database each has its own in the folder, named by its port and its number there. */
export const ownSocketName = ({
  database,
  processes,
  port,
}: Pick<ConfigShape, "database" | "processes" | "port">): string => {
  const own = processes === null ? [] : processes.child === null ? [port] : [port, processes.child]
  return `${[socketStem(database), ...own].join("-")}.sock`
}

/** The sockets in a folder of those that serve a database; what a killed one has left is among them. */
export const socketNames = async ({ dataFolder, database }: SocketLocation): Promise<ReadonlyArray<string>> => {
  const stem = socketStem(database)
  const names = await readdir(dataFolder)
  return names.filter((name) => name.startsWith(stem) && /^(-\d+){0,2}\.sock$/.test(name.slice(stem.length))).sort()
}

/**
 * Calls `use` with a path of the file in the folder that is short enough for a socket: 108 bytes at most. On Linux that goes
 * by a descriptor of the folder; elsewhere a longer path fails.
 */
export const inFolder = <A>(folder: string, name: string, use: (path: string) => Promise<A>): Promise<A> => {
  if (process.platform !== "linux") return use(join(folder, name))
  const descriptor = openSync(folder, "r")
  return use(`/proc/self/fd/${descriptor}/${name}`).finally(() => closeSync(descriptor))
}

/** The first line that comes; null where there is none of at most so many bytes in time. */
export const readLine = (socket: Socket, milliseconds: number, longest: number): Promise<string | null> =>
  new Promise((resolve) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    const end = (line: string | null) => {
      clearTimeout(late)
      socket.removeAllListeners("data").pause()
      resolve(line)
    }
    const late = setTimeout(() => end(null), milliseconds)
    socket.once("close", () => end(null))
    socket.on("data", (chunk: Buffer) => {
      const at = chunk.indexOf(10)
      chunks.push(at < 0 ? chunk : chunk.subarray(0, at))
      bytes += chunk.length
      if (bytes > longest) end(null)
      else if (at >= 0) end(Buffer.concat(chunks).toString("utf8"))
    })
  })
