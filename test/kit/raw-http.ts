/**
 * An HTTP client on a bare TCP socket, for tests: it sends exactly the bytes it is given, several requests in one
 * packet if need be, and can leave at any moment. Used by the tests of the HTTP server.
 */
import { connect, type Socket } from "node:net"

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

export class RawConnection {
  readonly #tcp: Socket
  #bytes: Buffer = Buffer.alloc(0)
  #chunks: Array<Buffer> = []
  #wake: () => void = () => {}
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>

  constructor(port: number) {
    this.#tcp = connect(port, "127.0.0.1")
    // A reset is an end like any other; the close event follows it.
    this.#tcp.on("error", () => {})
    this.#tcp.on("data", (chunk) => {
      this.#chunks.push(chunk)
      this.#wake()
    })
    this.closed = new Promise((resolve) => {
      this.#tcp.on("close", () => {
        resolve()
        this.#wake()
      })
    })
  }

  write(bytes: string | Uint8Array): void {
    this.#tcp.write(bytes)
  }

  /** Stops reading: the server's bytes pile up. */
  pause(): void {
    this.#tcp.pause()
  }

  resume(): void {
    this.#tcp.resume()
  }

  destroy(): void {
    this.#tcp.destroy()
  }

  /** Whether it has ended, as far as this side knows by now. */
  get isOver(): boolean {
    return this.#tcp.destroyed || this.#tcp.readableEnded
  }

  /** The next answer; undefined if the connection ends before it is whole. `isHead`: it has no body. */
  async next(isHead = false): Promise<RawAnswer | undefined> {
    for (;;) {
      const answer = this.#take(isHead)
      if (answer !== undefined) return answer
      if (this.#tcp.destroyed) return undefined
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #take(isHead: boolean): RawAnswer | undefined {
    if (this.#chunks.length > 0) this.#bytes = Buffer.concat([this.#bytes, ...this.#chunks.splice(0)])
    const end = this.#bytes.indexOf("\r\n\r\n")
    if (end < 0) return undefined
    const [statusLine = "", ...lines] = this.#bytes.toString("latin1", 0, end).split("\r\n")
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]
    if (status === undefined) throw new Error(`Not the beginning of an answer: ${statusLine}`)
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":")
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
    )
    const size = isHead ? 0 : Number(headers.get("content-length") ?? 0)
    if (this.#bytes.length < end + 4 + size) return undefined
    const body = this.#bytes.toString("utf8", end + 4, end + 4 + size)
    this.#bytes = this.#bytes.subarray(end + 4 + size)
    return { status: Number(status), headers, body }
  }
}

export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The bytes of a request. A body gets its length, everything gets a Host. */
export const requestBytes = ({ method = "GET", path, headers = {}, body }: RawRequest): Buffer => {
  const all = {
    Host: "chat.example.org:9991",
    ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1")
  return Buffer.concat([head, Buffer.from(body ?? "")])
}

/** One request on a connection of its own; undefined if the server cuts it. */
export const ask = async (port: number, request: RawRequest): Promise<RawAnswer | undefined> => {
  const connection = new RawConnection(port)
  connection.write(requestBytes(request))
  const answer = await connection.next(request.method === "HEAD")
  connection.destroy()
  return answer
}

/** A server closes what is idle for 10 s: a connection that has rested so long is not used again. */
const longestRestMilliseconds = 3000

/** Asks on a few connections that are kept for the next requests. The test closes them. */
export class KeptConnections {
  readonly #port: number
  readonly #free: Array<{ readonly connection: RawConnection; readonly since: number }> = []

  constructor(port: number) {
    this.#port = port
  }

  #take(): RawConnection {
    for (;;) {
      const kept = this.#free.pop()
      if (kept === undefined) return new RawConnection(this.#port)
      if (!kept.connection.isOver && performance.now() - kept.since < longestRestMilliseconds) return kept.connection
      kept.connection.destroy()
    }
  }

  /** Undefined if the server cuts the connection before the answer is whole. */
  async ask(request: RawRequest): Promise<RawAnswer | undefined> {
    const connection = this.#take()
    connection.write(requestBytes(request))
    const answer = await connection.next(request.method === "HEAD")
    if (answer === undefined || answer.headers.get("connection") === "close") connection.destroy()
    else this.#free.push({ connection, since: performance.now() })
    return answer
  }

  close(): void {
    for (const { connection } of this.#free.splice(0)) connection.destroy()
  }
}

/** The JSON object in an answer; throws where there is none. */
export const bodyOf = (answer: RawAnswer | undefined): Record<string, unknown> => {
  if (answer === undefined) throw new Error("The connection was cut")
  const parsed: unknown = JSON.parse(answer.body)
  if (typeof parsed !== "object" || parsed === null) throw new Error(`No object: ${answer.body}`)
  return { ...parsed }
}
