/**
 * What signals do to a server that runs: the first one ends it in good order, one that comes more than a second later at once.
 * npm passes on a signal that the terminal has sent to this process already, so the same one may come twice. Used by main.ts.
 */

/** Within this time a signal is the one before it, which has come by another way. */
const sameMilliseconds = 1000

interface StopSignals {
  /** Milliseconds. */
  readonly now: () => number
  readonly stop: (signal: NodeJS.Signals) => void
  /** Whoever sends a second signal does not want to wait for what is in flight. */
  readonly endAtOnce: (signal: NodeJS.Signals) => void
}

/** Answers what is to be called for each signal. */
export const stopSignals = ({ now, stop, endAtOnce }: StopSignals): ((signal: NodeJS.Signals) => void) => {
  let first: number | null = null
  return (signal) => {
    if (first === null) {
      first = now()
      stop(signal)
    } else if (now() - first > sameMilliseconds) endAtOnce(signal)
  }
}
