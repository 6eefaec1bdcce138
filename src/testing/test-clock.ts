/**
 * A clock that a test controls: time stands still until `advance`, or runs with the machine's and is put ahead by it. Tasks
 * run in order of their due time, those due together in the order in which their timers were made. Where time stands still
 * each sees its own due time as now. What the machine's timers do at the edges this clock does too: 1 ms is the shortest
 * wait, fractions are dropped.
 */
import type { ClockShape } from "../clock.ts"

export interface ManualClock extends ClockShape {
  /** Moves time by `ms` and runs all tasks that fall due, also of timers made meanwhile. An error of a task ends it. */
  readonly advance: (ms: number) => void
  /** Sets the clock ahead by `ms`, or back: no time passes, and no timer runs. */
  readonly jump: (ms: number) => void
  /** Timers that have not run out and are not cancelled; a repeating one counts once. */
  readonly pending: () => number
}

interface TimerEntry {
  due: number
  /** Counts up with every timer made. */
  readonly made: number
  /** Milliseconds between runs; null for a timer that runs once. */
  readonly period: number | null
  readonly task: () => void
}

/** Whether the first runs later. */
const isAfter = (one: TimerEntry, other: TimerEntry): boolean =>
  one.due > other.due || (one.due === other.due && one.made > other.made)

/** The longest wait that setTimeout takes; it turns a longer one into 1 ms, which no test should have to find out. */
const longestWait = 2 ** 31 - 1

const waitOf = (ms: number): number => {
  if (Number.isNaN(ms) || ms > longestWait) throw new RangeError(`a timer cannot wait ${ms} ms`)
  return Math.max(1, Math.trunc(ms))
}

/** `passed`: milliseconds that have passed by themselves. `changed` is told when another timer may be due next. */
const makeClock = (start: number, passed: () => number, changed: (due: number | undefined) => void) => {
  /** Milliseconds by which the test has advanced the clock. */
  let advanced = 0
  /** By how much the clock was set ahead. */
  let jumped = 0
  let made = 0
  let isAdvancing = false
  /** In the order in which they will run. */
  const entries: Array<TimerEntry> = []
  const elapsed = () => advanced + passed()

  const insert = (entry: TimerEntry) => {
    // From the end: most wait longer than those before them.
    let at = entries.length
    for (let each = entries[at - 1]; each !== undefined && isAfter(each, entry); each = entries[at - 1]) at--
    entries.splice(at, 0, entry)
    if (at === 0) changed(entry.due)
  }
  /** Moves the first to where it is due now: from the front, because what repeats often is mostly among the first again. */
  const putBack = (first: TimerEntry) => {
    let at = 0
    for (let each = entries[1]; each !== undefined && !isAfter(each, first); each = entries[at + 1])
      entries[at++] = each
    entries[at] = first
  }
  const cancel = (entry: TimerEntry) => {
    const at = entries.indexOf(entry)
    if (at >= 0) entries.splice(at, 1)
  }
  const arm = (wait: number, period: number | null, task: () => void) => {
    const entry = { due: elapsed() + wait, made: made++, period, task }
    insert(entry)
    return { cancel: () => cancel(entry) }
  }
  const reach = (time: number) => {
    advanced += Math.max(0, time - elapsed())
  }

  const runThrough = (end: number) => {
    for (let next = entries[0]; next !== undefined && next.due <= end; next = entries[0]) {
      reach(next.due)
      // A repeating one is armed again before its task runs, which may cancel it.
      if (next.period === null) entries.shift()
      else {
        next.due += next.period
        putBack(next)
      }
      next.task()
    }
    reach(end)
  }

  const clock: ManualClock = {
    now: () => start + Math.trunc(elapsed()) + jumped,
    elapsed,
    after: (ms, task) => arm(waitOf(ms), null, task),
    every: (ms, task) => arm(waitOf(ms), waitOf(ms), task),
    advance: (ms) => {
      if (!Number.isSafeInteger(ms) || ms < 0) throw new RangeError(`time cannot advance by ${ms} ms`)
      if (isAdvancing) throw new Error("a task that runs on this clock cannot advance it")
      isAdvancing = true
      try {
        runThrough(elapsed() + ms)
      } finally {
        isAdvancing = false
        changed(entries[0]?.due)
      }
    },
    jump: (ms) => {
      jumped += ms
    },
    pending: () => entries.length,
  }
  return clock
}

/** Stands still. `start` in milliseconds since the Unix epoch. */
export const manualClock = (start = Date.UTC(2026, 0, 1)): ManualClock =>
  makeClock(
    start,
    () => 0,
    () => {},
  )

/** Runs with the machine's time, by one timer of the machine for the task that is due next. */
export const runningClock = (): ManualClock => {
  const began = performance.now()
  let timer: NodeJS.Timeout | undefined
  const arm = (due: number | undefined) => {
    clearTimeout(timer)
    if (due === undefined) return
    const wait = Math.min(longestWait, Math.ceil(Math.max(0, due - clock.elapsed())))
    timer = setTimeout(() => clock.advance(0), wait).unref()
  }
  const clock = makeClock(Date.now(), () => performance.now() - began, arm)
  return clock
}
