/** Whether somebody is at the machine, as others see it: by what they do, not by a page that lies in front. */
import type { Client } from "../../client/index.ts"

const pingMilliseconds = 50_000
/** Nothing was pressed, moved or typed for so long: away. */
const idleMilliseconds = 300_000
const inputs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const

export class UserAttention {
  readonly #client: Client
  #inputAt = Date.now()
  #pingedAt = 0
  #isSaidIdle = false

  constructor(client: Client) {
    this.#client = client
  }

  /** Answers how to stop. */
  start(): () => void {
    const note = () => {
      this.#inputAt = Date.now()
      // Whoever comes back is seen at once.
      if (this.#isSaidIdle) this.#ping()
    }
    for (const each of inputs) addEventListener(each, note, { passive: true, capture: true })
    this.#ping()
    const timer = setInterval(() => this.#ping(), pingMilliseconds)
    return () => {
      clearInterval(timer)
      for (const each of inputs) removeEventListener(each, note, { capture: true })
    }
  }

  #ping(): void {
    if (document.visibilityState !== "visible") return
    const isHere = document.hasFocus() && Date.now() - this.#inputAt < idleMilliseconds
    this.#isSaidIdle = !isHere
    const params = {
      status: isHere ? "active" : "idle",
      ping_only: true,
      new_user_input: this.#inputAt > this.#pingedAt,
    }
    this.#pingedAt = Date.now()
    this.#client.call("POST /users/me/presence", params, { retries: false }).catch(() => undefined)
  }
}
