/**
 * The body of somebody else's answer: decompressed, and bounded in bytes before and after that (decompression bombs), and
 * in what frames it: a chunk of one byte comes as six, and takes as long as one of thousands.
 */
import type { IncomingMessage } from "node:http"
import { pipeline } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"

/** The head of an answer, whose body is still to be read or destroyed. */
export interface OutboundResponse {
  readonly message: IncomingMessage
  /** Bytes that were read by now, those of its frame too. */
  readonly received: () => number
}

export class BodyTooLarge extends Error {}
export class UnknownEncoding extends Error {}

/** The decoder of one encoding. Several at once are not taken: nobody sends them, but to be unpacked for ever. */
const decoderFor = (encoding: string) => {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip()
  if (encoding === "deflate") return createInflate()
  if (encoding === "br") return createBrotliDecompress()
  return undefined
}

/** Packed bytes are read ahead of those that they unpack to. */
const readAhead = 64 * 1024

export const acceptedEncodings = "gzip, deflate, br"

/** Most bytes that come beside a body: its head and how it is encrypted. Chunks may take as many as the body again. */
const besideBody = 128 * 1024

/** Ends a stream of chunks after so many bytes: what unpacks to nothing must end too. And one that is mostly frame. */
async function* upTo({ message, received }: OutboundResponse, most: number): AsyncGenerator<Buffer> {
  let length = 0
  const source: AsyncIterable<Buffer> = message
  for await (const chunk of source) {
    length += chunk.length
    if (length > most || received() > besideBody + 2 * length) throw new BodyTooLarge()
    yield chunk
  }
}

/** The decompressed chunks. Whoever stops to read them, or whose reading fails, ends the connection. */
const chunksOf = (answer: OutboundResponse, most: number): AsyncIterable<Buffer> => {
  const { message } = answer
  const encoding = (message.headers["content-encoding"] ?? "").trim().toLowerCase()
  if (encoding === "" || encoding === "identity") return upTo(answer, Number.POSITIVE_INFINITY)
  const decoder = decoderFor(encoding)
  if (decoder === undefined) throw new UnknownEncoding()
  return pipeline(
    () => upTo(answer, most + readAhead),
    decoder,
    () => message.destroy(),
  )
}

/**
 * Reads a body of `most` bytes at most. A longer one is cut there if `isCut`, else it fails with `BodyTooLarge`. The
 * connection is closed in any case.
 */
export const readBody = async (answer: OutboundResponse, most: number, isCut: boolean): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  try {
    for await (const chunk of chunksOf(answer, most)) {
      chunks.push(chunk)
      length += chunk.length
      if (length < most || (length === most && !isCut)) continue
      if (!isCut) throw new BodyTooLarge()
      break
    }
  } finally {
    answer.message.destroy()
  }
  return Buffer.concat(chunks).subarray(0, most)
}
