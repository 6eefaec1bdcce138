/** The package `socket.io`, by WebSocket alone: an event is emitted as an object to all. */
import type { Server } from "node:http"
import { requirePeer, servePeer } from "./peer-server.ts"

interface SocketIo {
  readonly Server: new (
    server: Server,
    options: { readonly transports: ReadonlyArray<string>; readonly serveClient: boolean },
  ) => { emit(name: string, value: object): void }
}

const { Server: Io }: SocketIo = requirePeer("socket.io")

servePeer((server) => {
  const io = new Io(server, { transports: ["websocket"], serveClient: false })
  return (event) => io.emit("message", JSON.parse(event))
})
