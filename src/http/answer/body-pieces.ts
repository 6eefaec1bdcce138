/** The bodies of answers as they are written: texts, bytes, and pieces that are never joined. Used by uws-response.ts. */
import { bytesOf, type JsonPieces } from "../../json-pieces.ts"
import type { ServerAnswer } from "./answer.ts"

/** A longer text is encoded before it is written: the native side is slower, and encodes an unsent rest again. */
export const longText = 65_536

/** A body as it is written: the bytes of pieces, whatever else is known of these. */
export type AnswerBody = string | Uint8Array | ReadonlyArray<Uint8Array>

export const isPieces = (body: AnswerBody): body is ReadonlyArray<Uint8Array> => Array.isArray(body)
const isInPieces = (body: ServerAnswer["body"]): body is JsonPieces => Array.isArray(body)
export const bodyOf = (body: ServerAnswer["body"]): AnswerBody => (isInPieces(body) ? body.map(bytesOf) : body)

/** Bytes on the wire. */
export const sizeOf = (body: AnswerBody): number =>
  isPieces(body) ? body.reduce((sum, piece) => sum + piece.length, 0) : Buffer.byteLength(body)

/** About how many bytes an answer takes while it is unread, in whatever form it is. */
export const weightOf = ({ body }: Pick<ServerAnswer, "body">): number =>
  typeof body === "string" ? body.length : sizeOf(bodyOf(body))

/** Memory in which small pieces are put together for one write to the system: each write is a call of the system. */
const gathered = Buffer.allocUnsafeSlow(2 * longText)

/** Walks through a body in pieces; each call gives what is to be written next at `offset`, valid until the next one. */
export const piecesFrom = (pieces: ReadonlyArray<Uint8Array>): ((offset: number) => Uint8Array) => {
  let index = 0
  let start = 0
  return (offset) => {
    let piece = pieces[index]
    while (piece !== undefined && offset >= start + piece.length && index < pieces.length - 1) {
      start += piece.length
      index += 1
      piece = pieces[index]
    }
    const rest = (piece ?? new Uint8Array(0)).subarray(offset - start)
    if (rest.length >= longText) return rest
    gathered.set(rest)
    let length = rest.length
    for (let n = index + 1; n < pieces.length; n++) {
      const next = pieces[n] ?? rest
      if (length + next.length > gathered.length) break
      gathered.set(next, length)
      length += next.length
    }
    return gathered.subarray(0, length)
  }
}
