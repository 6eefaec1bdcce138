/**
 * The pauses between tries of something that fails: each twice as long as the one before, up to `mostMs`. Used by
 * write-health.ts and pglite.ts.
 */

export interface Backoff {
  /** The pause before the next try. */
  readonly next: () => number
  /** It works: the next pause is the first one again. */
  readonly reset: () => void
}

export const makeBackoff = (firstMs: number, mostMs: number): Backoff => {
  let pause = firstMs
  return {
    next: () => {
      const present = pause
      pause = Math.min(2 * pause, mostMs)
      return present
    },
    reset: () => {
      pause = firstMs
    },
  }
}
