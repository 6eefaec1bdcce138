/** Writes to a stream, an await for each: no more than its buffer waits for who takes the bytes. */
import type { Writable } from "node:stream"

/**
 * Resolves when the bytes are taken. Rejects where the stream is destroyed first, too: the callback of a write that is
 * under way never comes then (zlib).
 */
export const writeToStream = (stream: Writable, bytes: Uint8Array): Promise<void> => {
  if (bytes.length === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const closed = () => reject(stream.errored ?? new Error("the stream was closed before all was written"))
    if (stream.closed) return closed()
    stream.once("close", closed)
    stream.write(bytes, (error) => {
      stream.off("close", closed)
      if (error) reject(error)
      else resolve()
    })
  })
}
