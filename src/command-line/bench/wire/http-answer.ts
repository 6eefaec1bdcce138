/** One whole HTTP answer in the bytes that a connection has brought, its body in chunks or not. */

export interface HttpAnswer {
  readonly status: number
  /** Milliseconds that the server asks to wait; null: it does not. */
  readonly retryAfter: number | null
  readonly body: Buffer
}

const headEnd = Buffer.from("\r\n\r\n")
const lineEnd = Buffer.from("\r\n")

/** Undefined where the last chunk has not come. */
const unchunked = (bytes: Buffer): Buffer | undefined => {
  const parts: Array<Buffer> = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf(lineEnd, at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16)
    const from = line + lineEnd.length
    at = from + size + lineEnd.length
    if (!(at <= bytes.length)) return undefined
    if (size === 0) return Buffer.concat(parts)
    parts.push(bytes.subarray(from, from + size))
  }
}

const field = (head: string, name: string): string | undefined =>
  new RegExp(`\\r\\n${name}:[ \\t]*([^\\r]*)`).exec(head)?.[1]

/** Null where it has not come whole. Requests are made one at a time, so nothing follows it. */
export const parseAnswer = (bytes: Buffer): HttpAnswer | null => {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const head = bytes.toString("latin1", 0, end).toLowerCase()
  const from = end + headEnd.length
  const length = Number(field(head, "content-length") ?? 0)
  const isChunked = field(head, "transfer-encoding") === "chunked"
  const isWhole = from + length <= bytes.length
  const body = isChunked ? unchunked(bytes.subarray(from)) : isWhole ? bytes.subarray(from, from + length) : undefined
  if (body === undefined) return null
  const seconds = Number(field(head, "retry-after") ?? Number.NaN)
  return { status: Number(head.slice(9, 12)), retryAfter: Number.isFinite(seconds) ? 1000 * seconds : null, body }
}
