/**
 * Passes on what a process writes, line by line: where several write into one stream, no line of one stands in the middle of
 * another's. Used by run-family.ts.
 */

const lineFeed = 10
/** Longer than any line of the log: what has no end is passed on as it comes. */
const longest = 256 * 1024

export interface WholeLines {
  readonly add: (chunk: Buffer) => void
  /** Nothing more comes: what has no end yet is passed on, too. */
  readonly end: () => void
}

export const wholeLines = (write: (text: string) => void): WholeLines => {
  let begun: ReadonlyArray<Buffer> = []
  let bytes = 0
  const pass = (last: Buffer): void => {
    const text = Buffer.concat([...begun, last]).toString("utf8")
    begun = []
    bytes = 0
    if (text !== "") write(text)
  }
  return {
    add: (chunk) => {
      const end = chunk.lastIndexOf(lineFeed) + 1
      if (end > 0) pass(chunk.subarray(0, end))
      begun = [...begun, chunk.subarray(end)]
      bytes += chunk.length - end
      if (bytes > longest) pass(Buffer.alloc(0))
    },
    end: () => pass(Buffer.alloc(0)),
  }
}
