/** Waiting between tries: longer each time, by chance, so that clients that lost a server together return one by one. */

export interface PauseBounds {
  /** The longest that the first pause can be. */
  readonly firstMilliseconds: number
  /** The longest that any pause can be. */
  readonly mostMilliseconds: number
}

export class Pauses {
  readonly #bounds: PauseBounds
  #count = 0

  constructor(bounds: PauseBounds) {
    this.#bounds = bounds
  }

  /** Milliseconds until the next try, at least as many as the server asked for. */
  next(askedMilliseconds = 0): number {
    const { firstMilliseconds, mostMilliseconds } = this.#bounds
    const most = Math.min(mostMilliseconds, firstMilliseconds * 2 ** this.#count)
    this.#count++
    const own = most * (0.2 + 0.8 * Math.random())
    return askedMilliseconds > own ? askedMilliseconds + 0.2 * own : own
  }

  /** All is well again. */
  reset(): void {
    this.#count = 0
  }
}

/** Resolves after a time, or as soon as the signal is aborted. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    if (signal?.aborted === true) return end()
    signal?.addEventListener("abort", end)
  })
