/**
 * Pictures of messages, which the server gives only to whoever may read them: each is fetched with the key and shown as a
 * blob. The last hundred are held; what is shown again after that is fetched again. A server that has too much to do is asked
 * again after a while: a page full of pictures may be more than it gives at once.
 */
import type { Account } from "../../client/index.ts"

const mostPictures = 100
const mostTries = 8
const mostTriesAway = 60
const firstPauseMilliseconds = 500
const longestPauseMilliseconds = 10_000

/** What the server may answer otherwise a moment later. */
const isForNow = (status: number): boolean => status === 429 || status >= 500

/** Milliseconds until the next try: as long as the server says, and longer each time. */
const pauseAfter = (tries: number, said: string | null): number => {
  const most = Math.min(longestPauseMilliseconds, firstPauseMilliseconds * 2 ** tries)
  const own = most * (0.5 + 0.5 * Math.random())
  const asked = Number(said ?? "")
  return Math.max(own, Number.isFinite(asked) ? Math.min(60, asked) * 1000 : 0)
}

export const authorization = ({ email, apiKey }: Account): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${email}:${apiKey}`)))}`

export class Files {
  readonly #account: Account
  readonly #held = new Map<string, Promise<string | null>>()

  constructor(account: Account) {
    this.#account = account
  }

  /** The address of a blob; null where there is none. */
  picture(path: string): Promise<string | null> {
    const known = this.#held.get(path)
    const found = known ?? this.#fetch(path)
    this.#held.delete(path)
    this.#held.set(path, found)
    const [[oldest, last] = []] = this.#held
    if (this.#held.size > mostPictures && oldest !== undefined && last !== undefined) {
      this.#held.delete(oldest)
      void last.then((url) => url !== null && URL.revokeObjectURL(url))
    }
    return found
  }

  async #fetch(path: string): Promise<string | null> {
    const headers = { Authorization: authorization(this.#account) }
    // A server that is away comes back: that is waited for longer than one that is busy.
    for (let busy = 0, away = 0; busy < mostTries && away < mostTriesAway; ) {
      const response = await fetch(path, { headers, credentials: "omit" }).catch(() => null)
      const whole = response?.ok === true ? await response.blob().catch(() => null) : null
      if (whole !== null) return URL.createObjectURL(whole)
      if (response === null || response.ok) away++
      else if (isForNow(response.status)) busy++
      else return null
      const pause = pauseAfter(busy + away, response?.headers.get("retry-after") ?? null)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
    // Asked again when it is shown again.
    this.#held.delete(path)
    return null
  }
}
