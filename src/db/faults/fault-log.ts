/**
 * A fault that lasts, in few lines of the log: one when it begins, at most one a minute while it goes on, one when it
 * is over. A fault that comes back within the minute is taken for the same one. Used by write-health.ts and pglite.ts.
 */

export interface FaultLog {
  /** It was met once more. */
  readonly met: (reason: string) => void
  /** The end of the fault: what failed works. */
  readonly over: () => void
}

export interface FaultTexts {
  readonly begins: (reason: string) => string
  /** `times`: how often it was met since the last line. */
  readonly lasts: (reason: string, times: number) => string
  readonly ends: (seconds: number) => string
}

const betweenLines = 60_000

/** `elapsed` in milliseconds, as a clock's. */
export const makeFaultLog = (elapsed: () => number, log: (text: string) => void, texts: FaultTexts): FaultLog => {
  let since: number | null = null
  let lineAt: number | null = null
  /** Whether the last line was not that it is over. */
  let isSaid = false
  let times = 0
  return {
    met: (reason) => {
      const isNew = since === null
      since ??= elapsed()
      times += 1
      if (lineAt !== null && elapsed() - lineAt < betweenLines) return
      log(isNew && times === 1 ? texts.begins(reason) : texts.lasts(reason, times))
      lineAt = elapsed()
      isSaid = true
      times = 0
    },
    over: () => {
      if (since === null) return
      const seconds = Math.round((elapsed() - since) / 1000)
      since = null
      if (isSaid) log(texts.ends(seconds))
      isSaid = false
    },
  }
}
