/** What SIGINT does to a run: the first one ends it in good order, one that comes later ends it at once. */
import { BenchImpossible } from "./bench-impossible.ts"

/** npm passes on what the terminal has already sent: the same Ctrl-C comes twice, some milliseconds apart. */
const echoMilliseconds = 1000

export interface Interrupts {
  readonly interrupted: AbortController
  readonly exit: (code: number) => void
  /** Milliseconds. */
  readonly now: () => number
}

export const interruptBy = ({ interrupted, exit, now }: Interrupts): (() => void) => {
  let first: number | null = null
  return () => {
    if (first === null) {
      first = now()
      interrupted.abort(new BenchImpossible("interrupted"))
      // Whoever says it again does not wait for what is cleared away.
    } else if (now() - first >= echoMilliseconds) exit(130)
  }
}
