/** A WebSocket that does what a test says, and the answers of a server beside it: for frames that no server of ours sends. */
import type { SocketConstructor, SocketLike } from "../../src/client/index.ts"

type Handler = ((event: never) => unknown) | null

export class ScriptedSocket implements SocketLike {
  readonly url: string
  readonly sent: Array<unknown> = []
  binaryType = "blob"
  onopen: Handler = null
  onmessage: Handler = null
  onclose: Handler = null
  onerror: Handler = null
  isClosed = false

  constructor(url: string) {
    this.url = url
  }

  get lastEventId(): number {
    return Number(new URL(this.url).searchParams.get("last_event_id"))
  }

  /** As by the network: `open`, `message` with data, `close` with a code and a reason, `error`. */
  happens(what: "open" | "message" | "close" | "error", event: object = {}): void {
    const handler = { open: this.onopen, message: this.onmessage, close: this.onclose, error: this.onerror }[what]
    if (handler !== null) Reflect.apply(handler, this, [event])
  }

  frame(...ids: ReadonlyArray<number>): void {
    const data = JSON.stringify(ids.map((id) => ({ id, type: "message", message: { content: String(id) } })))
    this.happens("message", { data })
  }

  end(code: number): void {
    this.happens("close", { code, reason: "" })
  }

  send(data: unknown): void {
    this.sent.push(JSON.parse(String(data)))
  }

  close(): void {
    this.isClosed = true
  }
}

/** The constructor of sockets, and those that it has made. */
export const scriptedSockets = () => {
  const sockets: Array<ScriptedSocket> = []
  const WebSocket: SocketConstructor = class extends ScriptedSocket {
    constructor(url: string) {
      super(url)
      sockets.push(this)
    }
  }
  return { sockets, WebSocket }
}
