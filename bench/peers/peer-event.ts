/** The event that peers hand out: of the size of Parley's for a short message. */

/** Stands before an event's number. */
export const mark = "peer-bench-"

export const eventOf = (number: number, bytes: number): string => {
  const head = `{"type":"message","message":{"content":"${mark}${number} `
  const tail = `"},"id":${number}}`
  return head + "x".repeat(Math.max(0, bytes - head.length - tail.length)) + tail
}
