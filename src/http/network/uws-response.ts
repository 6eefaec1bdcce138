/**
 * One HTTP answer. uWebSockets' own object must not be touched after it has ended, so this one registers its abort
 * handler before anybody else sees it and closes itself (`open` turns false) on the first of send, cut, upgrade and
 * abort; calls on a closed one have no effect. Writes are corked, so that an answer is one packet. Made by uws.ts for
 * each request.
 */
import type { ServerAnswer } from "../answer/answer.ts"
import { type AnswerBody, bodyOf, isPieces, longText, piecesFrom, sizeOf } from "../answer/body-pieces.ts"
import { pump } from "../answer/body-pump.ts"
import type { AnswerPort } from "./answer-port.ts"
import { partCount } from "./part-count.ts"
import type { Native } from "./uws-loader.ts"
import { writeHead } from "./write-head.ts"
import { writeTurns } from "./write-turns.ts"

const ignore = (): void => {}
const encoder = new TextEncoder()

export class WireResponse {
  readonly #native: Native.HttpResponse
  readonly #isHead: boolean
  readonly #port: AnswerPort
  #open = true
  #aborted = false
  #isGone = false
  #isDoubtful = false
  #closesAfterwards = false
  /** The native side closes afterwards without a word, because the client has said so: the answer says it all the same. */
  #isSilent = false
  /** The body has not come whole: what an answer leaves of it would be taken for the next request. */
  #isReading = false
  #onAbort: () => void = ignore
  /** Called once the answer has left, or its connection is gone; null before it is sent and afterwards. */
  #onLeft: (() => void) | null = null

  constructor(native: Native.HttpResponse, isHead: boolean, port: AnswerPort) {
    this.#native = native
    this.#isHead = isHead
    this.#port = port
    native.onAborted(() => {
      if (this.#onLeft !== null) this.#left(true)
      if (!this.#open) return
      this.#open = false
      this.#aborted = true
      this.guard(this.#onAbort)
    })
  }

  /** Runs a task. If it throws, `fault` gets the error and the connection is cut: native code must not see it. */
  guard(task: () => void): void {
    try {
      task()
    } catch (fault) {
      this.failed(fault)
    }
  }

  /** Reports what a task has thrown, and cuts the connection. */
  failed(fault: unknown): void {
    this.#port.fault(fault)
    this.cut()
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
   * Gives the parts of the body to `task` as they come. To be called before the request's handler has returned. The
   * bytes are valid only during the call, the first part may be empty. Ends when the request is answered or cut; a body
   * in too many small chunks ends its connection.
   */
  onBody(task: (part: Uint8Array, isLast: boolean) => void): void {
    if (!this.#open) return
    this.#isReading = true
    const tooMany = partCount()
    this.#native.onData((part, isLast) => {
      this.#isReading = !isLast
      if (!this.#open) return
      if (tooMany(isLast)) this.#native.close()
      else this.guard(() => task(new Uint8Array(part), isLast))
    })
  }

  /** Reads no more of the body, except for what has been read from the connection already. */
  pause(): void {
    if (this.#open) this.#native.pause()
  }

  resume(): void {
    if (this.#open) this.#native.resume()
  }

  /**
   * For a request whose end is in doubt: its answer closes the connection, and is sent after this turn. What has come
   * behind the request is parsed in this turn, and the native side cuts the connection where it finds a further
   * request while this one is unanswered; it would hand it over if this one were answered, closing or not.
   */
  doubtEnd(): void {
    this.#isDoubtful = true
  }

  /** The answer, whatever it is, will be the connection's last. */
  closeAfterwards(): void {
    this.#closesAfterwards = true
  }

  /** The same where the client has said so, and closes. Requests that it sends all the same wait until it has read the answer. */
  closesItself(): void {
    this.#closesAfterwards = this.#isSilent = true
  }

  /** Every answer that is the last one of its connection says so (`Connection: close`). */
  #isLast(asked: boolean): boolean {
    return asked || this.#closesAfterwards || this.#isReading || this.#port.isEnding
  }

  /**
   * Answers; `isLast` closes the connection afterwards. `onLeft` is called once the whole answer has been handed to the
   * system, or its connection is gone.
   */
  send(answer: ServerAnswer, isLast = false, onLeft: () => void = ignore, headSize?: number): void {
    if (this.#isDoubtful) {
      this.#isDoubtful = false
      return void setImmediate(() => this.guard(() => this.send(answer, true, onLeft, headSize)))
    }
    if (!this.#open) return onLeft()
    this.#open = false
    this.#onLeft = onLeft
    const last = this.#isLast(isLast)
    const [native, { status }] = [this.#native, answer]
    // A small answer is one write, however many pieces it was made of.
    const whole = bodyOf(answer.body)
    const body = isPieces(whole) && sizeOf(whole) <= longText ? Buffer.concat(whole) : whole
    const isBare = status === 204 || status === 304
    // Only an `end` with the whole body closes the connection itself, and what is unread then lies where nobody counts it. So what is
    // large is written part by part; told so, clients and proxies send nothing more, and the native side closes after 10 s.
    const isWrittenOn = this.#isSilent || isPieces(body) || sizeOf(body) > longText
    const saysClose = last && (this.#isSilent || (!isBare && (this.#isHead || isWrittenOn)))
    native.cork(() => {
      writeHead(native, answer, saysClose)
      if (isBare) {
        // Without a length it would name one of 2^63, and wait for it if it is to close.
        if (last) native.endWithoutBody(0, true)
        else native.endWithoutBody()
      } else if (this.#isHead) {
        // With a length as its argument endWithoutBody leaves the answer open for ever, also where it is to close (seen in
        // 20.51.4): the client is told to close, and the native side does after 10 s.
        native.writeHeader("Content-Length", String(headSize ?? sizeOf(body)))
        native.endWithoutBody()
      } else if (!isPieces(body) && (body.length === 0 || (last && !isWrittenOn))) {
        native.end(body, last)
      } else {
        return this.#sendBody(body)
      }
      this.#left()
    })
  }

  /**
   * Answers with a body of `size` bytes that is read while it is sent: its next part is asked for when the last one has
   * left. The connection is cut where the parts fail, or are fewer bytes. `onLeft` as in `send`.
   */
  sendParts(
    { status, headers }: Pick<ServerAnswer, "status" | "headers">,
    size: number,
    read: () => AsyncIterable<Uint8Array>,
    isLast: boolean,
    onLeft: () => void,
  ): void {
    if (this.#isDoubtful) {
      this.#isDoubtful = false
      return void setImmediate(() => this.guard(() => this.sendParts({ status, headers }, size, read, true, onLeft)))
    }
    if (!this.#open || this.#isHead || size === 0) return this.send({ status, headers, body: "" }, isLast, onLeft, size)
    this.#open = false
    const native = this.#native
    let wake: (offset: number) => void = ignore
    this.#onLeft = () => {
      onLeft()
      wake(-1)
    }
    native.cork(() => writeHead(native, { status, headers }, this.#isLast(isLast)))
    native.onWritable((offset) => {
      wake(offset)
      return true
    })
    const sink = {
      isGone: () => this.#onLeft === null,
      write: (part: Uint8Array): boolean => {
        let isTaken = true
        native.cork(() => {
          const [ok, done] = native.tryEnd(part, size)
          isTaken = ok
          if (done) this.#left()
        })
        return isTaken
      },
      whenWritable: (task: (offset: number) => void) => {
        wake = task
      },
    }
    pump(read, sink).then(
      () => this.cut(),
      (fault: unknown) => this.failed(fault),
    )
  }

  /** The answer has left, or (`isGone`) its connection, of which nothing may be touched then. */
  #left(isGone = false): void {
    this.#isGone ||= isGone
    const onLeft = this.#onLeft
    this.#onLeft = null
    if (onLeft !== null) this.guard(onLeft)
  }

  /**
   * Keeps the rest of a body here while the client does not read. While it waits the native side takes no further
   * request on the connection, so a client that asks and never reads costs one answer; with a plain `end` each
   * request more would add its answer to the native buffer (800 MB from 800 small requests).
   */
  #sendBody(body: AnswerBody): void {
    const whole = typeof body === "string" && body.length > longText ? encoder.encode(body) : body
    const size = sizeOf(whole)
    if (isPieces(whole)) return this.#sendRest(whole, size, true)
    const [, done] = this.#native.tryEnd(whole, size)
    if (done) this.#left()
    else this.#sendRest([Buffer.from(whole)], size, false)
  }

  #sendRest(pieces: ReadonlyArray<Uint8Array>, size: number, isUnbegun: boolean): void {
    const [native, rest] = [this.#native, piecesFrom(pieces)]
    let [offset, isWaiting] = [0, false]
    /** Answers what the native side wants to know: false while bytes are left that the system did not take. */
    const write = (): boolean => {
      while (writeTurns.mayWrite) {
        const piece = rest(offset)
        const [ok, done] = native.tryEnd(piece, size)
        writeTurns.wrote(piece.length)
        if (done) this.#left()
        if (done || !ok) return ok
        offset += piece.length
      }
      if (!isWaiting) writeTurns.next(goOn)
      isWaiting = true
      return true
    }
    const goOn = () => {
      isWaiting = false
      if (!this.#isGone) native.cork(write)
    }
    native.onWritable((taken) => {
      offset = taken
      return write()
    })
    if (isUnbegun) write()
  }

  /** Closes the connection without an answer, or in the middle of one. */
  cut(): void {
    if (!this.#open && this.#onLeft === null) return
    this.#open = false
    this.#native.close()
  }

  /**
   * Turns the connection into a WebSocket; its open event comes before this returns. Corked, because it would be two
   * dozen writes and a warning otherwise. At the end of the cork the native side may still read the state of the HTTP
   * answer, from memory that the smaller WebSocket has freed, and close the connection by it. Any allocation before
   * that may reuse this memory, even compiling a function: so only native functions run within the cork, none of ours.
   */
  upgrade<A>(
    userData: A,
    key: string,
    protocol: string,
    extensions: string,
    context: Native.us_socket_context_t,
  ): void {
    if (!this.#open) return
    this.#open = false
    const native = this.#native
    native.cork(native.upgrade.bind(native, userData, key, protocol, extensions, context))
  }
}
