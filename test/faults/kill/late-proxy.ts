/**
 * A proxy that lets statements arrive late: it holds back the bytes of a client, breaks the client's connections, and
 * delivers the bytes later on the old connections to the server, as if they had waited in a socket's buffer. Bytes on
 * connections that are made after the break flow at once.
 */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

interface Pair {
  readonly client: Socket
  readonly target: Socket
  /** The bytes held back; null: bytes are passed on at once. */
  kept: Array<Buffer> | null
}

export interface LateProxy {
  readonly port: number
  /** Holds back all bytes on the present connections. */
  readonly keep: () => void
  /** Breaks those connections now; their bytes arrive after so many milliseconds. */
  readonly breakAndDeliver: (milliseconds: number) => void
  readonly close: () => void
}

/** Long enough for PostgreSQL to take what arrived; its answer goes nowhere. */
const lingerMilliseconds = 200

export const startLateProxy = async (targetPort: number): Promise<LateProxy> => {
  const pairs = new Set<Pair>()
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1")
    const pair: Pair = { client, target, kept: null }
    pairs.add(pair)
    client.setNoDelay(true)
    target.setNoDelay(true)
    client.on("data", (chunk) => {
      if (pair.kept === null) target.write(chunk)
      else pair.kept.push(chunk)
    })
    target.on("data", (chunk) => client.write(chunk))
    client.on("error", () => undefined)
    target.on("error", () => undefined)
    client.on("close", () => {
      if (pair.kept === null) target.destroy()
    })
    target.on("close", () => {
      pairs.delete(pair)
      client.destroy()
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the proxy has no port")

  const deliver = async ({ target, kept }: Pair, milliseconds: number): Promise<void> => {
    await sleep(milliseconds)
    for (const chunk of kept ?? []) target.write(chunk)
    await sleep(lingerMilliseconds)
    target.destroy()
  }
  return {
    port: address.port,
    keep: () => {
      for (const pair of pairs) pair.kept ??= []
    },
    breakAndDeliver: (milliseconds) => {
      for (const pair of pairs) {
        if (pair.kept === null || pair.client.destroyed) continue
        pair.client.resetAndDestroy()
        void deliver(pair, milliseconds)
      }
    },
    close: () => {
      server.close()
      for (const { client, target } of pairs) {
        client.destroy()
        target.destroy()
      }
    },
  }
}
