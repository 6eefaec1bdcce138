/**
 * A TCP proxy on 127.0.0.1 that misbehaves on demand, between a client and a server under test. Faults apply to the
 * connections that are there and, except `cut`, to those that come.
 */
import { once } from "node:events"
import { connect, createServer, type Server, type Socket } from "node:net"

/** `requests` flow to the server, `answers` to the client. */
export type ProxyDirection = "requests" | "answers"

export interface FaultProxy {
  readonly port: number
  /** Number of connections now. */
  readonly connections: () => number
  /** Number of connections that were accepted so far. */
  readonly accepted: () => number
  /** Breaks all connections; new ones are still served. */
  readonly cut: () => void
  /** Bytes stop flowing, nothing is closed. */
  readonly stall: (...directions: ReadonlyArray<ProxyDirection>) => void
  /** No more than so many bytes in a second flow to each client. */
  readonly slow: (bytesPerSecond: number) => void
  /** Ends `stall` and `slow`. */
  readonly resume: () => void
  /** New connections are refused; those that are there go on. */
  readonly refuse: () => Promise<void>
  readonly accept: () => Promise<void>
  readonly close: () => Promise<void>
}

/** How often a slow connection gets its share of bytes. */
const shareMilliseconds = 50

/** Node never closes one that is reset while its own end is on the way. */
const reset = (socket: Socket): unknown => (socket.writableEnded ? socket.destroy() : socket.resetAndDestroy())

interface SocketPair {
  readonly requests: Socket
  readonly answers: Socket
}

export const startProxy = async (targetHost: string, targetPort: number): Promise<FaultProxy> => {
  const pairs = new Set<SocketPair>()
  const stalled = new Set<ProxyDirection>()
  /** Sockets of which a chunk is still being written share by share. */
  const trickling = new Set<Socket>()
  /** Bytes per second to each client; null: as they come. */
  let rate: number | null = null
  let accepted = 0
  let server: Server | undefined

  /** Writes a chunk share by share, as long as the proxy is slow; `from` is paused meanwhile. */
  const trickle = (chunk: Buffer, from: Socket, to: Socket, direction: ProxyDirection): void => {
    from.pause()
    trickling.add(from)
    let rest = chunk
    const step = () => {
      if (to.destroyed) return void trickling.delete(from)
      if (!stalled.has(direction)) {
        const share = rate === null ? rest.length : Math.ceil((rate * shareMilliseconds) / 1000)
        to.write(rest.subarray(0, share))
        rest = rest.subarray(share)
      }
      if (rest.length > 0) return void setTimeout(step, shareMilliseconds)
      trickling.delete(from)
      if (!stalled.has(direction)) from.resume()
    }
    setTimeout(step, shareMilliseconds)
  }

  const forward = (from: Socket, to: Socket, direction: ProxyDirection): void => {
    from.on("data", (chunk) => {
      if (rate !== null && direction === "answers") trickle(chunk, from, to, direction)
      else if (!to.write(chunk)) from.pause()
    })
    to.on("drain", () => {
      if (!stalled.has(direction) && !trickling.has(from)) from.resume()
    })
    if (stalled.has(direction)) from.pause()
  }

  const serve = (client: Socket): void => {
    accepted += 1
    const target = connect(targetPort, targetHost)
    const pair = { requests: client, answers: target }
    pairs.add(pair)
    client.setNoDelay(true)
    target.setNoDelay(true)
    forward(client, target, "requests")
    forward(target, client, "answers")
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      socket.on("error", () => other.destroy())
      socket.on("close", () => {
        pairs.delete(pair)
        other.destroy()
      })
    }
  }

  const listen = async (port: number): Promise<number> => {
    server = createServer(serve).listen(port, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("the proxy has no port")
    return address.port
  }

  const refuse = async (): Promise<void> => {
    const closing = server
    server = undefined
    // The callback waits for the connections that are there; the port is closed at once.
    closing?.close()
  }

  const cut = (): void => {
    for (const { requests, answers } of pairs) {
      reset(requests)
      reset(answers)
    }
  }

  const port = await listen(0)
  return {
    port,
    connections: () => pairs.size,
    accepted: () => accepted,
    cut,
    stall: (...directions) => {
      for (const direction of directions.length === 0 ? (["requests", "answers"] as const) : directions) {
        stalled.add(direction)
        for (const pair of pairs) pair[direction].pause()
      }
    },
    slow: (bytesPerSecond) => {
      rate = Math.max(1, bytesPerSecond)
    },
    resume: () => {
      rate = null
      stalled.clear()
      for (const { requests, answers } of pairs)
        for (const socket of [requests, answers]) if (!trickling.has(socket)) socket.resume()
    },
    refuse,
    accept: async () => {
      if (server === undefined) await listen(port)
    },
    close: async () => {
      await refuse()
      cut()
    },
  }
}
