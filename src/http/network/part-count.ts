/**
 * The number of parts of a request's body that are taken in one turn of the loop. One read of a connection brings 500
 * KB, which may be 80,000 chunks of a byte: a call of native code each, and a second of the loop. No client sends so.
 * Used by uws-response.ts.
 */

const mostAtOnce = 1000

/** To be called for each part of one body; true where there are too many. */
export const partCount = (): ((isLast: boolean) => boolean) => {
  let count = 0
  return (isLast) => {
    if (count === 0 && !isLast)
      setImmediate(() => {
        count = 0
      })
    count += 1
    return count > mostAtOnce
  }
}
