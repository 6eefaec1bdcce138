/** An address whose connections lead to one database server, and from a moment on to another, as that of a proxy in front of both. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

export interface DatabaseAddress {
  readonly port: number
  /** Ends all connections; further ones lead to that port. */
  readonly leadTo: (port: number) => void
}

export const startDatabaseAddress = async (
  t: { readonly teardown: (clean: () => void) => void },
  first: number,
): Promise<DatabaseAddress> => {
  let target = first
  const open = new Set<Socket>()
  const endAll = () => {
    for (const socket of open) socket.destroy()
  }
  const server = createServer((client) => {
    const there = connect(target, "127.0.0.1")
    for (const [socket, other] of [
      [client, there],
      [there, client],
    ] as const) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        open.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => {
    server.close()
    endAll()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("it has no port")
  return {
    port: address.port,
    leadTo: (port) => {
      target = port
      endAll()
    },
  }
}
