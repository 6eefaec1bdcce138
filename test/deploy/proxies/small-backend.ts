/** A small HTTP server in place of a process of Parley, which reads requests and then ends as badly as it is told. */
import { once } from "node:events"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http"
import type { Socket } from "node:net"
import { findFreePort } from "../../../src/testing/free-port.ts"

/**
 * What becomes of a request: it is answered; or, as by a process that is killed, its connection is cut when all of it was read,
 * when only its head was, or when the answer has begun; or nothing becomes of it until `release`.
 */
export type Way = "answers" | "dies" | "dies early" | "dies late" | "waits"

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly bytes: number
}

export class SmallBackend {
  readonly name: string
  readonly port: number
  readonly seen: Array<Seen> = []
  way: Way = "answers"
  /** What `/ready` and `/health` answer. */
  status = { "/ready": 200, "/health": 200 }
  #server: Server | null = null
  readonly #sockets = new Set<Socket>()
  readonly #waiting: Array<() => void> = []

  private constructor(name: string, port: number) {
    this.name = name
    this.port = port
  }

  static async start(
    t: { readonly teardown: (end: () => Promise<void>) => void },
    name: string,
  ): Promise<SmallBackend> {
    const backend = new SmallBackend(name, await findFreePort())
    t.teardown(async () => backend.kill())
    await backend.listen()
    return backend
  }

  async listen(): Promise<void> {
    const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => this.#take(request, response))
    server.on("connection", (socket) => {
      this.#sockets.add(socket)
      socket.once("close", () => this.#sockets.delete(socket))
    })
    // Echoes, as a socket of Parley's does nothing else that a proxy sees.
    server.on("upgrade", (request, socket) => {
      this.#note(request, 0)
      const accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${accept}\r\n\r\n`)
      socket.on("error", () => {})
      socket.pipe(socket)
    })
    server.listen(this.port, "127.0.0.1")
    await once(server, "listening")
    this.#server = server
  }

  /** Its port is closed, and its connections are cut. */
  kill(): void {
    this.#server?.close()
    this.#server = null
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  release(): void {
    for (const answer of this.#waiting.splice(0)) answer()
  }

  #note({ method = "", url = "", headers }: IncomingMessage, bytes: number): void {
    this.seen.push({ method, url, headers, bytes })
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const { url = "", socket } = request
    if (url === "/ready" || url === "/health") {
      response.statusCode = this.status[url]
      return void response.end("{}")
    }
    const { way } = this
    if (way === "dies early") {
      this.#note(request, 0)
      return void socket.resetAndDestroy()
    }
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
    })
    request.once("end", () => {
      this.#note(request, bytes)
      const answer = () => void response.end(this.name)
      if (way === "answers") answer()
      else if (way === "waits") this.#waiting.push(answer)
      else if (way === "dies") socket.resetAndDestroy()
      else {
        response.writeHead(200, { "Content-Length": "1000" })
        response.write("the beginning of an answer", () => socket.destroy())
      }
    })
  }
}
