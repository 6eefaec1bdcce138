/**
 * Whether the server is there, as far as the page can tell: by its socket, and by what became of its requests. People are told
 * only after five seconds, because most cuts are over before.
 */
import { Store } from "./store.ts"

const patience = 5_000
const checkEvery = 2_000

export class Line {
  readonly isAway = new Store(false)
  #since: number | null = null
  #timer: ReturnType<typeof setInterval> | undefined

  readonly fetch: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init)
      this.#back()
      return response
    } catch (error) {
      if (init?.signal?.aborted !== true) this.#lost()
      throw error
    }
  }

  /** What is given to the client in place of the global one. */
  readonly WebSocket: typeof WebSocket

  constructor() {
    const back = () => this.#back()
    const lost = () => this.#lost()
    this.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols)
        this.addEventListener("open", back)
        this.addEventListener("close", lost)
      }
    }
    addEventListener("offline", lost)
  }

  #lost(): void {
    this.#since ??= performance.now()
    this.#timer ??= setInterval(() => this.#check(), checkEvery)
  }

  #back(): void {
    this.#since = null
    clearInterval(this.#timer)
    this.#timer = undefined
    this.isAway.change(() => false)
  }

  /** A poll that waits says nothing, so something is asked that is answered at once. */
  #check(): void {
    if (this.#since !== null && performance.now() - this.#since >= patience) this.isAway.change(() => true)
    const signal = AbortSignal.timeout(checkEvery)
    fetch("/ready", { signal, cache: "no-store" }).then(
      ({ ok }) => ok && this.#back(),
      () => undefined,
    )
  }
}
