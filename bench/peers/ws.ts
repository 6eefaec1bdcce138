/** The package `ws`, as its documentation has a broadcast: a loop over the clients. */
import type { Server } from "node:http"
import { requirePeer, servePeer } from "./peer-server.ts"

interface Client {
  readonly readyState: number
  send(data: string): void
}
interface Ws {
  readonly WebSocketServer: new (options: { readonly server: Server }) => { readonly clients: ReadonlySet<Client> }
  readonly WebSocket: { readonly OPEN: number }
}

const { WebSocketServer, WebSocket }: Ws = requirePeer("ws")

servePeer((server) => {
  const { clients } = new WebSocketServer({ server })
  return (event) => {
    for (const client of clients) if (client.readyState === WebSocket.OPEN) client.send(event)
  }
})
