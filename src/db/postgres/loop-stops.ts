/**
 * Tells that this process was stopped for a while (SIGSTOP, a virtual machine that was paused, a laptop that slept): the loop does not
 * turn then, and what came meanwhile waits in the kernel until it does again.
 */

const beatMilliseconds = 500
const stopMilliseconds = 3_000
/** Of the time, at most, that the process had the processor in it: else it was busy, or waited for its turn on a busy machine. */
const stoppedShare = 0.05
/** For how long requests that have waited through a stop may still come, one after the other. */
const afterMilliseconds = 1_000

export interface LoopStops {
  readonly wasStopped: () => boolean
  readonly end: () => void
}

export interface StopClocks {
  /** Milliseconds of a clock that goes on while the process is stopped. */
  readonly elapsed: () => number
  /** Milliseconds for which it had the processor. */
  readonly worked: () => number
}

const processClocks: StopClocks = {
  elapsed: () => performance.now(),
  worked: () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  },
}

export const watchLoopStops = ({ elapsed, worked } = processClocks): LoopStops => {
  let beat = elapsed()
  let workedThen = worked()
  let backAt = Number.NEGATIVE_INFINITY
  const isStop = (now: number): boolean =>
    now - beat > stopMilliseconds && worked() - workedThen < stoppedShare * (now - beat)
  const look = (): void => {
    const now = elapsed()
    if (isStop(now)) backAt = now
    beat = now
    workedThen = worked()
  }
  const timer = setInterval(look, beatMilliseconds).unref()
  return {
    wasStopped: () => {
      const now = elapsed()
      // Requests may come before the timer of the first turn.
      return now - backAt < afterMilliseconds || isStop(now)
    },
    end: () => clearInterval(timer),
  }
}
