/**
 * A connection to the directory on which nothing has been said yet: with TLS, whose certificate is checked, or plain
 * where the operator wants that. StartTLS is done here and not by the library's client, which would go on reading what a
 * stranger on the way had sent before TLS began as if the directory had said it.
 */
import { connect, isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectSafely } from "node:tls"
import { Client } from "ldapts"
import type { DirectoryConfig } from "../../../config/config.ts"
import { makeMessages } from "./ldap-messages.ts"

const startTlsRequest = "1.3.6.1.4.1.1466.20037"
/** Most bytes that a connection receives in all: what is asked for has a few hundred. */
const mostBytes = 16 * 1024

const ignore = () => {}

const whenOpen = (socket: Socket, event: "connect" | "secureConnect"): Promise<Socket> =>
  new Promise((resolve, reject) => {
    socket.once(event, () => resolve(socket))
    socket.once("error", reject)
    socket.once("close", () => reject(new Error("the connection was closed")))
  })

/** Hands on whole messages only, and ends a connection that brings anything else. */
const inMessages = (socket: Socket): Socket => {
  const push = socket.push.bind(socket)
  const take = makeMessages(mostBytes)
  socket.push = (chunk: unknown) => {
    if (!(chunk instanceof Uint8Array)) return push(chunk)
    const messages = take(chunk)
    if (messages !== null) return messages.map((each) => push(each)).every((wantsMore) => wantsMore)
    socket.destroy(new Error("it said what was not asked"))
    return false
  }
  return socket
}

/** The library's client on this connection. It cannot open another one, which would not be signed in, or not be safe. */
export const clientOn = (socket: Socket): Client => {
  const sockets = [socket]
  return new Client({
    url: "ldap://directory",
    createConnection: () => {
      const next = sockets.pop()
      if (next === undefined) throw new Error("the connection was closed")
      return next
    },
  })
}

const toTls = async (socket: Socket, options: ConnectionOptions): Promise<Socket> => {
  await clientOn(socket).exop(startTlsRequest)
  // With its listeners goes the client, and what it has read of a message that is not complete.
  socket.removeAllListeners()
  socket.on("error", ignore)
  return whenOpen(inMessages(connectSafely({ ...options, socket })), "secureConnect")
}

/** Fails, and every use of the connection with it, when `signal` ends. Whoever gets it destroys it. */
export const openConnection = async (
  { url, startTls, authorities }: DirectoryConfig,
  signal: AbortSignal,
): Promise<Socket> => {
  const { protocol, hostname, port } = new URL(url)
  const isSafe = protocol === "ldaps:"
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const address = { host, port: port === "" ? (isSafe ? 636 : 389) : Number(port) }
  const servername = isIP(host) === 0 ? host : ""
  const tls = { host, servername, ...(authorities === undefined ? {} : { ca: authorities }) }
  const socket = inMessages(isSafe ? connectSafely({ ...tls, ...address }) : connect(address))
  signal.addEventListener("abort", () => socket.destroy(new Error("it took too long")))
  try {
    const opened = await whenOpen(socket, isSafe ? "secureConnect" : "connect")
    return startTls ? await toTls(opened, tls) : opened
  } catch (fault) {
    socket.on("error", ignore)
    socket.destroy()
    throw fault
  }
}
