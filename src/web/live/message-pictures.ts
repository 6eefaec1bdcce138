/**
 * Pictures of messages, which the server gives only to whoever may read them: each is fetched with the key and shown as a
 * blob. The last hundred are held; what is shown again after that is fetched again. A server that has too much to do is asked
 * again after a while: a page full of pictures may be more than it gives at once.
 */
import type { Account } from "../../client/index.ts"
import type { ServerConnection } from "./server-connection.ts"

const mostPictures = 100
/** A browser has few connections to one server, and what people write must find one. */
const mostAtOnce = 3
const silenceMilliseconds = 30_000
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

/** Ends what has not been heard of for so long. */
class FetchSilence {
  readonly #abort = new AbortController()
  readonly #milliseconds: number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.broken()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  broken(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#abort.abort(), this.#milliseconds)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}

export class MessagePictures {
  readonly #account: Account
  readonly #line: ServerConnection
  readonly #held = new Map<string, Promise<string | null>>()
  readonly #waiting: Array<() => void> = []
  #underWay = 0

  constructor(account: Account, line: ServerConnection) {
    this.#account = account
    this.#line = line
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

  /** `whole`: null where it did not come, or not all of it. */
  async #ask(path: string, headers: Record<string, string>) {
    if (this.#underWay >= mostAtOnce) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#underWay++
    // A connection that has died without a word would keep its place until the browser gives it up.
    const silence = new FetchSilence(silenceMilliseconds)
    try {
      const response = await fetch(path, { headers, credentials: "omit", signal: silence.signal }).catch(() => null)
      const whole = response?.ok === true ? await this.#whole(response, silence).catch(() => null) : null
      return { response, whole }
    } finally {
      silence.end()
      // Whoever waits has the place from here.
      const next = this.#waiting.shift()
      if (next === undefined) this.#underWay--
      else next()
    }
  }

  /** On a slow network a picture is all that comes for a while. */
  #whole({ body, headers }: Response, silence: FetchSilence): Promise<Blob> {
    const hearing = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform: (chunk, controller) => {
        this.#line.hear()
        silence.broken()
        controller.enqueue(chunk)
      },
    })
    return new Response(body?.pipeThrough(hearing) ?? null, { headers }).blob()
  }

  async #fetch(path: string): Promise<string | null> {
    const headers = { Authorization: authorization(this.#account) }
    // A server that is away comes back: that is waited for longer than one that is busy.
    for (let busy = 0, away = 0; busy < mostTries && away < mostTriesAway; ) {
      const { response, whole } = await this.#ask(path, headers)
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
