/**
 * Counts requests per key: a window begins with a key's first request, admits `limit` of them and ends after
 * `windowMs`; refused requests take nothing from the next window. Memory is bounded, however many keys there are: ended
 * windows are dropped in whole generations, without a timer, and keys beyond `mostKeys` share one window, so that a flood
 * of addresses cannot displace the counts of others. Used by http/senders/rate-limit.ts, http/connections/connections.ts,
 * chat/ground/sign-in/sign-in-throttle.ts and chat/server/sign-up/sign-up-throttle.ts.
 */
import type { ClockShape } from "../clock.ts"

export interface RateLimits {
  readonly windowMs: number
  readonly limit: number
  /** Most new keys per window's time that get a window of their own. */
  readonly mostKeys: number
}

export interface RateVerdict {
  readonly limit: number
  /** Requests that the window still admits. */
  readonly remaining: number
  /** When the window ends, in whole seconds since the Unix epoch. */
  readonly resetAt: number
  /** Null where the request is admitted. */
  readonly waitSeconds: number | null
  /** Number of refusals of the window, this one included. */
  readonly refused: number
}

export interface RateCounter<Key> {
  /** Counts one request of `key`, if the verdict admits it. */
  readonly count: (key: Key) => RateVerdict
  /** The verdict that `count` would give; counts nothing. */
  readonly peek: (key: Key) => RateVerdict
  /** Adds requests that another process has counted, admitted or not. */
  readonly add: (key: Key, count: number) => void
  /** Requests that were counted here since the last time that this was asked, within the window. */
  readonly takeUntold: (key: Key) => number
  /** Undoes one `count`. */
  readonly takeBack: (key: Key) => void
  /** Keys in memory. */
  readonly size: () => number
}

interface Window {
  endsAt: number
  used: number
  refused: number
  /** Of `used`, those that no other process was told of. */
  untold: number
}

export const makeRateCounter = <Key extends string | number>(
  clock: ClockShape,
  { windowMs, limit, mostKeys }: RateLimits,
  /** Keys that get a window of their own however many others there are. They must be few. */
  isReserved: (key: Key) => boolean = () => false,
): RateCounter<Key> => {
  /** A generation is dropped only after all of its windows have ended. */
  let young = new Map<Key, Window>()
  let old = new Map<Key, Window>()
  let youngSince = clock.elapsed()
  const shared: Window = { endsAt: 0, used: 0, refused: 0, untold: 0 }

  const age = (now: number): void => {
    if (now - youngSince < windowMs) return
    old = now - youngSince < 2 * windowMs ? young : new Map()
    young = new Map()
    youngSince = now
  }

  const findWindow = (key: Key, now: number): Window | undefined => {
    const recent = young.get(key)
    if (recent !== undefined) return recent
    const earlier = old.get(key)
    if (earlier === undefined || now >= earlier.endsAt) return undefined
    // Moved to the young generation, so that frequent keys are found in the first map.
    if (young.size < mostKeys || isReserved(key)) young.set(key, earlier)
    return earlier
  }

  const openWindow = (key: Key): Window => {
    if (young.size >= mostKeys && !isReserved(key)) return shared
    const window = { endsAt: 0, used: 0, refused: 0, untold: 0 }
    young.set(key, window)
    return window
  }

  const begin = (window: Window, now: number): void => {
    window.endsAt = now + windowMs
    window.used = 0
    window.refused = 0
    window.untold = 0
  }

  const verdictOf = (window: Window, now: number, isAdmitted: boolean): RateVerdict => ({
    limit,
    remaining: Math.max(0, limit - window.used),
    resetAt: Math.ceil((clock.now() + window.endsAt - now) / 1000),
    waitSeconds: isAdmitted ? null : (window.endsAt - now) / 1000,
    refused: window.refused,
  })

  /** The window that is open, begun if need be. */
  const takeWindow = (key: Key, now: number): Window => {
    age(now)
    const window = findWindow(key, now) ?? openWindow(key)
    if (now >= window.endsAt) begin(window, now)
    return window
  }

  return {
    count: (key) => {
      const now = clock.elapsed()
      const window = takeWindow(key, now)
      const isAdmitted = window.used < limit
      if (isAdmitted) {
        window.used++
        window.untold++
      } else window.refused++
      return verdictOf(window, now, isAdmitted)
    },
    peek: (key) => {
      const now = clock.elapsed()
      age(now)
      const window = findWindow(key, now) ?? (young.size >= mostKeys && !isReserved(key) ? shared : undefined)
      return window === undefined || now >= window.endsAt
        ? verdictOf({ endsAt: now + windowMs, used: 0, refused: 0, untold: 0 }, now, true)
        : verdictOf(window, now, window.used < limit)
    },
    add: (key, count) => {
      takeWindow(key, clock.elapsed()).used += count
    },
    takeUntold: (key) => {
      const now = clock.elapsed()
      const window = findWindow(key, now)
      if (window === undefined || now >= window.endsAt) return 0
      const { untold } = window
      window.untold = 0
      return untold
    },
    takeBack: (key) => {
      const now = clock.elapsed()
      const window = findWindow(key, now) ?? shared
      if (window.used === 0 || now >= window.endsAt) return
      window.used--
      if (window.untold > 0) window.untold--
    },
    size: () => young.size + old.size,
  }
}
