/**
 * One HTTP answer. uWebSockets' own object must not be touched after it has ended, so this one registers its abort
 * handler before anybody else sees it and closes itself (`open` turns false) on the first of send, cut, upgrade and
 * abort; whatever is called on a closed one has no effect. Writes are corked: one packet for an answer, whenever it
 * is written. Made by uws.ts for each request.
 */
import type { Native } from "./uws-loader.ts"

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | Uint8Array
}

const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  413: "Payload Too Large",
  426: "Upgrade Required",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
}

const ignore = (): void => {}

export class WireResponse {
  readonly #native: Native.HttpResponse
  readonly #isHead: boolean
  readonly #fault: (fault: unknown) => void
  #open = true
  #aborted = false
  #onAbort: () => void = ignore

  /** `fault` is told what a task threw that was called from the native side. */
  constructor(native: Native.HttpResponse, isHead: boolean, fault: (fault: unknown) => void) {
    this.#native = native
    this.#isHead = isHead
    this.#fault = fault
    native.onAborted(() => {
      if (!this.#open) return
      this.#open = false
      this.#aborted = true
      this.guard(this.#onAbort)
    })
  }

  /** Runs a task and keeps what it throws away from the native side; then there is no answer. */
  guard(task: () => void): void {
    try {
      task()
    } catch (fault) {
      this.#fault(fault)
      this.cut()
    }
  }

  /** False once it is answered, cut, upgraded or the client has gone away. */
  get open(): boolean {
    return this.#open
  }

  /** The client went away before the answer. */
  get aborted(): boolean {
    return this.#aborted
  }

  /** Text form of the client's address; empty once closed. */
  address(): string {
    return this.#open ? Buffer.from(this.#native.getRemoteAddressAsText()).toString("latin1") : ""
  }

  /** Calls `task` if the client goes away before the answer. The last one registered counts. */
  onAbort(task: () => void): void {
    this.#onAbort = task
  }

  /**
   * Gives the whole body to `done`, or undefined as soon as more than `limit` bytes have come. The bytes are valid
   * only during that call. Never calls it if the client goes away.
   */
  readBody(limit: number, done: (body: Uint8Array | undefined) => void): void {
    if (!this.#open) return
    let chunks: Array<Uint8Array> | undefined = []
    let bytes = 0
    this.#native.onData((chunk, isLast) => {
      if (!this.#open || chunks === undefined) return
      bytes += chunk.byteLength
      if (bytes <= limit && !isLast) {
        // The native side takes the chunk back when this returns: keep a copy.
        chunks.push(new Uint8Array(chunk.slice(0)))
        return
      }
      const whole =
        bytes > limit
          ? undefined
          : chunks.length === 0
            ? new Uint8Array(chunk)
            : Buffer.concat([...chunks, new Uint8Array(chunk)])
      chunks = undefined
      this.guard(() => done(whole))
    })
  }

  /** Answers; `last` closes the connection afterwards. */
  send(answer: Answer, last = false): void {
    if (!this.#open) return
    this.#open = false
    const native = this.#native
    const { status, headers, body } = answer
    native.cork(() => {
      native.writeStatus(`${status} ${reasons[status] ?? "Status"}`)
      for (const header of headers) native.writeHeader(header[0], header[1])
      if (status === 204) {
        native.endWithoutBody()
      } else if (this.#isHead) {
        // With a length as its argument endWithoutBody leaves the answer open for ever (seen in 20.51.4).
        native.writeHeader("Content-Length", String(Buffer.byteLength(body)))
        native.endWithoutBody()
      } else if (last || body.length === 0) {
        native.end(body, last)
      } else {
        this.#sendBody(body)
      }
    })
  }

  /**
   * Keeps the rest of a body here while the client does not read. While it waits the native side takes no further
   * request on the connection, so a client that asks and never reads costs one answer; with a plain `end` each
   * request more would add its answer to the native buffer (800 MB from 800 small requests).
   */
  #sendBody(body: string | Uint8Array): void {
    const native = this.#native
    const size = Buffer.byteLength(body)
    const [, done] = native.tryEnd(body, size)
    if (done) return
    const bytes = Buffer.from(body)
    native.onWritable((offset) => native.tryEnd(bytes.subarray(offset), size)[0])
  }

  /** Closes the connection without an answer. */
  cut(): void {
    if (!this.#open) return
    this.#open = false
    this.#native.close()
  }

  /** Turns the connection into a WebSocket. */
  upgrade<A>(seat: A, key: string, protocol: string, extensions: string, context: Native.us_socket_context_t): void {
    if (!this.#open) return
    this.#open = false
    this.#native.cork(() => this.#native.upgrade(seat, key, protocol, extensions, context))
  }
}
