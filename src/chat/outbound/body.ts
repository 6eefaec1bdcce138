/** The body of somebody else's answer: decompressed, and bounded in bytes before and after that (decompression bombs). */
import type { IncomingMessage } from "node:http"
import { pipeline, type Readable } from "node:stream"
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib"

export class BodyTooLarge extends Error {}
export class UnknownEncoding extends Error {}

/** Of several encodings one upon the other none is taken: nobody sends them, but to be unpacked for ever. */
const decoderFor = (encoding: string) => {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip()
  if (encoding === "deflate") return createInflate()
  if (encoding === "br") return createBrotliDecompress()
  return undefined
}

/** Packed bytes are read ahead of those that they unpack to. */
const readAhead = 64 * 1024

export const acceptedEncodings = "gzip, deflate, br"

/** Ends a stream of chunks after so many bytes: what unpacks to nothing must end too. */
async function* upTo(source: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > most) throw new BodyTooLarge()
    yield chunk
  }
}

/** The decompressed chunks. Whoever stops to read them, or whose reading fails, ends the connection. */
const chunksOf = (answer: IncomingMessage, most: number): AsyncIterable<Buffer> => {
  const encoding = (answer.headers["content-encoding"] ?? "").trim().toLowerCase()
  if (encoding === "" || encoding === "identity") return answer
  const decoder = decoderFor(encoding)
  if (decoder === undefined) throw new UnknownEncoding()
  const packed: Readable = answer
  return pipeline(
    packed,
    (source: AsyncIterable<Buffer>) => upTo(source, most + readAhead),
    decoder,
    () => answer.destroy(),
  )
}

/**
 * Reads a body of `most` bytes at most. A longer one is cut there if `isCut`, else it fails with `BodyTooLarge`. The
 * connection is closed in any case.
 */
export const readBody = async (answer: IncomingMessage, most: number, isCut: boolean): Promise<Buffer> => {
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
    answer.destroy()
  }
  return Buffer.concat(chunks).subarray(0, most)
}
