/**
 * Whether the server is there, as far as the page can tell: by its socket, and by what became of its requests. People are told
 * only after five seconds of silence, because most cuts are over before. A network that is slow is no server that is away:
 * whatever comes, and each part of a file that goes, shows that it is there.
 */
import { Observable } from "./observable.ts"

const patience = 5_000
const checkEvery = 2_000
/** On a line that carries a file, the answer to a question takes a while. */
const answerMilliseconds = 6_000

/** Waits for something to happen, so its silence says nothing. */
const isPoll = (input: RequestInfo | URL): boolean => {
  const address = input instanceof Request ? input.url : String(input)
  return new URL(address, location.origin).pathname === "/api/v1/events"
}

export class ServerConnection {
  readonly isAway = new Observable(false)
  #heardAt = performance.now()
  /** From when on nothing has come; null while nothing is missed. */
  #since: number | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  /** Those that are open, and when each has spoken last. */
  readonly #sockets = new Map<WebSocket, number>()

  readonly fetch: typeof fetch = async (input, init) => {
    const answered = isPoll(input) ? undefined : this.expect()
    try {
      const response = await fetch(input, init)
      this.hear()
      return response
    } catch (error) {
      if (init?.signal?.aborted !== true) this.#lost()
      throw error
    } finally {
      answered?.()
    }
  }

  /** What is given to the client in place of the global one. */
  readonly WebSocket: typeof WebSocket

  constructor() {
    const heard = (socket: WebSocket) => {
      this.#sockets.set(socket, performance.now())
      this.hear()
    }
    const lost = (socket: WebSocket) => {
      this.#sockets.delete(socket)
      this.#lost()
    }
    this.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols)
        this.addEventListener("open", () => heard(this))
        this.addEventListener("message", () => heard(this))
        this.addEventListener("close", () => lost(this))
      }
    }
    addEventListener("offline", () => this.#lost())
    addEventListener("online", () => this.#since !== null && this.#ask())
  }

  /** Something is to come soon; answers what to call when it has. */
  expect(): () => void {
    const asked = performance.now()
    const timer = setInterval(() => this.#lost(Math.max(asked, this.#heardAt)), checkEvery)
    return () => clearInterval(timer)
  }

  /** The server has shown that it is there. */
  hear(): void {
    this.#heardAt = performance.now()
    const since = this.#since
    if (since === null) return
    this.#since = null
    clearInterval(this.#timer)
    this.#timer = undefined
    if (!this.isAway.value) return
    this.isAway.change(() => false)
    this.#leaveSilent(since)
  }

  /** A connection that was lost without a word stays open here; what is read by it is gone on with by another. */
  #leaveSilent(since: number): void {
    for (const [socket, at] of [...this.#sockets]) {
      if (at > since) continue
      socket.dispatchEvent(new CloseEvent("close", { code: 1006, reason: "it was silent" }))
      socket.close()
    }
  }

  #lost(since = performance.now()): void {
    this.#since ??= since
    this.#timer ??= setInterval(() => this.#check(), checkEvery)
  }

  #check(): void {
    if (this.#since !== null && performance.now() - this.#since >= patience) this.isAway.change(() => true)
    this.#ask()
  }

  /** A poll that waits says nothing, so something is asked that is answered at once. */
  #ask(): void {
    fetch("/ready", { signal: AbortSignal.timeout(answerMilliseconds), cache: "no-store" }).then(
      ({ ok }) => ok && this.hear(),
      () => undefined,
    )
  }
}
