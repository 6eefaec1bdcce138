/**
 * One WebSocket that reads a queue: its frames in order, then how it ended. It keeps few frames that nobody takes: browsers
 * cannot make a server wait, so past a limit it closes itself, and the reader opens another one later.
 */
import type { Event } from "./api.ts"
import type { Account } from "./exchange.ts"
import { eventsIn, type FrameForm } from "./frame-forms.ts"

/** What is needed of a WebSocket; those of browsers, of Node 22, and of the packages `ws` and `undici` have it. */
export interface SocketLike {
  binaryType: string
  onopen: ((event: never) => unknown) | null
  onmessage: ((event: never) => unknown) | null
  onclose: ((event: never) => unknown) | null
  onerror: ((event: never) => unknown) | null
  send(data: string | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
}

export type SocketConstructor = new (url: string, protocols: string) => SocketLike

export interface SocketEnd {
  /** The close code, 1006 where there was none; 1000 where this side has ended it. */
  readonly code: number
  readonly reason: string
  /** It has brought events, or stood for a while: sockets work here. */
  readonly didWork: boolean
}

export interface SocketParts {
  readonly open: () => SocketLike
  readonly account: Account
  readonly form: FrameForm
}

const openMilliseconds = 10_000
const closeMilliseconds = 1_000
/** The server sends a heartbeat before a minute is over. */
const silenceMilliseconds = 90_000
const provenMilliseconds = 5_000
/** The most that may lie here untaken, in characters or bytes, but for one frame. */
const mostWaiting = 4_000_000

const sizeOf = (data: unknown): number =>
  typeof data === "string" ? data.length : data instanceof ArrayBuffer ? data.byteLength : 0

export class QueueSocket {
  readonly #parts: SocketParts
  readonly #socket: SocketLike | null
  readonly #frames: Array<unknown> = []
  #waiting = 0
  #openedAt: number | null = null
  #hadFrame = false
  #end: SocketEnd | null = null
  #wake: () => void = () => {}
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(parts: SocketParts) {
    this.#parts = parts
    this.#socket = this.#open()
  }

  #open(): SocketLike | null {
    try {
      const socket = this.#parts.open()
      socket.binaryType = "arraybuffer"
      socket.onopen = () => {
        this.#openedAt = performance.now()
        const { email, apiKey } = this.#parts.account
        this.#send({ auth: { email, api_key: apiKey } })
        this.#expect(silenceMilliseconds)
      }
      socket.onmessage = ({ data }: { readonly data: unknown }) => this.#take(data)
      socket.onclose = ({ code, reason }: { readonly code: number; readonly reason: string }) =>
        this.#ends(code, reason)
      // Its end follows, with a code.
      socket.onerror = () => this.#expect(closeMilliseconds)
      this.#expect(openMilliseconds)
      return socket
    } catch (error) {
      // A page that came encrypted may not open a plain socket, for example.
      this.#ends(1006, String(error))
      return null
    }
  }

  /** The next frame's events, or how the socket has ended. */
  async next(): Promise<ReadonlyArray<Event> | SocketEnd> {
    while (this.#frames.length === 0) {
      if (this.#end !== null) return this.#end
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    const data = this.#frames.shift()
    this.#waiting -= sizeOf(data)
    const events = eventsIn(this.#parts.form, data)
    if (events !== undefined) return events
    this.close()
    return { code: 1006, reason: "a frame could not be read", didWork: false }
  }

  acknowledge(id: number): void {
    if (this.#end === null) this.#send({ ack: id })
  }

  /** Ends it from this side; frames that have come can still be taken. */
  close(): void {
    this.#ends(1000, "closed here")
  }

  #take(data: unknown): void {
    if (this.#end !== null) return
    this.#hadFrame = true
    this.#expect(silenceMilliseconds)
    this.#frames.push(data)
    this.#waiting += sizeOf(data)
    if (this.#waiting > mostWaiting && this.#frames.length > 1) this.#ends(1000, "too much waits to be read")
    this.#wake()
  }

  #ends(code: number, reason: string): void {
    if (this.#end !== null) return
    clearTimeout(this.#timer)
    const stood = this.#openedAt === null ? 0 : performance.now() - this.#openedAt
    this.#end = { code, reason, didWork: this.#hadFrame || stood >= provenMilliseconds }
    try {
      this.#socket?.close(1000)
    } catch {
      // It has not been open.
    }
    this.#wake()
  }

  /** Ends it if nothing comes for that long. */
  #expect(milliseconds: number): void {
    if (this.#end !== null) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      // That it was open for so long proves nothing.
      this.#openedAt = null
      this.#ends(1006, "nothing came")
    }, milliseconds)
  }

  #send(value: object): void {
    try {
      this.#socket?.send(this.#parts.form.write(value))
    } catch {
      // It is closing; its end comes.
    }
  }
}
