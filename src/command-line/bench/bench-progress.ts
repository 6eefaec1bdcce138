/** What goes on, for whoever waits: on a terminal one line that changes, else a line for each new step. */
/** `what` is the step, `detail` how far it has come. */
export type TellProgress = (what: string, detail?: string) => void

/** Standard error, or what stands for it. */
export interface ProgressOutput {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly write: (text: string) => unknown
}

export const progressTo = (stream: ProgressOutput): { readonly tell: TellProgress; readonly end: () => void } => {
  let last = ""
  return {
    tell: (what, detail) => {
      const text = detail === undefined ? what : `${what}: ${detail}`
      if (stream.isTTY) stream.write(`\r\u001b[K${text.slice(0, Math.max(20, (stream.columns ?? 80) - 1))}`)
      else if (what !== last) stream.write(`bench: ${what}\n`)
      last = what
    },
    end: () => {
      if (stream.isTTY) stream.write("\r\u001b[K")
    },
  }
}
