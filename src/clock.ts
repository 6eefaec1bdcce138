/**
 * Time as the server sees it. Everything that waits or asks for the time goes through one Clock, so that a test can
 * control it. Two exceptions: the watchdogs of the database drivers guard against real silence, and the turns
 * and rests of the flusher are measures of the processor's time.
 */
import * as Context from "effect/Context"

export interface Timer {
  readonly cancel: () => void
}

export interface ClockShape {
  /** Milliseconds since the Unix epoch. May jump when the machine's clock is set. */
  readonly now: () => number
  /** Milliseconds since an arbitrary moment, for durations: never jumps, and stops while the machine sleeps. */
  readonly elapsed: () => number
  /** Runs `task` once after `ms` milliseconds. Never keeps the process alive. */
  readonly after: (ms: number, task: () => void) => Timer
  /** Runs `task` every `ms` milliseconds until cancelled. Never keeps the process alive. */
  readonly every: (ms: number, task: () => void) => Timer
}

export class Clock extends Context.Service<Clock, ClockShape>()("parley/Clock") {}

/** The machine's own time. */
export const systemClock: ClockShape = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, task) => {
    const handle = setTimeout(task, ms).unref()
    return { cancel: () => clearTimeout(handle) }
  },
  every: (ms, task) => {
    const handle = setInterval(task, ms).unref()
    return { cancel: () => clearInterval(handle) }
  },
}
