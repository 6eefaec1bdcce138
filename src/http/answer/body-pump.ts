/** Writes the parts of a body to a connection, no faster than its client reads. Used by uws-response.ts. */

export interface BodySink {
  /** The connection is gone, or the answer has left. */
  readonly isGone: () => boolean
  /** False: some of it was not taken, and `whenWritable` tells how much. */
  readonly write: (part: Uint8Array) => boolean
  /** Calls the task once, with the bytes of the whole body that were taken, or a negative number: `isGone`. */
  readonly whenWritable: (task: (offset: number) => void) => void
}

/** Ends when the sink is gone or all parts were taken. What is being read is closed then. */
export const pump = async (read: () => AsyncIterable<Uint8Array>, sink: BodySink): Promise<void> => {
  let start = 0
  for await (const part of read()) {
    for (let rest = part; rest.length > 0; ) {
      if (sink.isGone()) return
      if (sink.write(rest)) break
      const offset = await new Promise<number>((resolve) => sink.whenWritable(resolve))
      if (offset < 0) return
      rest = part.subarray(offset - start)
    }
    start += part.length
  }
}
