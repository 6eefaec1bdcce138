/**
 * A port for a server that is started again on the same one. Chosen here, not by the system: connections of a server that
 * lets the system choose keep its port from the next one for a minute (SO_REUSEADDR is set for chosen ports only).
 */
import { createServer } from "node:net"

const lowest = 12_000
const count = 18_000

/**
 * A free port below those that the system hands out to outgoing connections: while the server is away, a client that
 * tries to reach it must neither take the port nor connect to itself.
 */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once("error", () => resolve(false))
      probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}
