/**
 * Lists of records as JSON in pieces. A list of ten thousand records is a text of megabytes: made, joined or encoded at
 * once it would hold everybody else up, so each is done in slices, and the pieces are never joined. Used by endpoints
 * that answer lists, and by the sections of register.
 */
import * as Effect from "effect/Effect"
import { forEachInSlices } from "./slices.ts"

/** Characters of a piece, about. */
const pieceLength = 64 * 1024

type Pieces = ReadonlyArray<Uint8Array>

/** A member of a JSON object whose value is a list, `"name":[...]`, made item by item. */
export const listInPieces = Effect.fnUntraced(function* <A>(
  name: string,
  items: Iterable<A>,
  write: (item: A) => string,
): Effect.fn.Return<Pieces> {
  const pieces: Array<Uint8Array> = []
  let text = `"${name}":[`
  let isFirst = true
  yield* forEachInSlices(items, (item) => {
    text += isFirst ? write(item) : `,${write(item)}`
    isFirst = false
    if (text.length < pieceLength) return
    pieces.push(Buffer.from(text))
    text = ""
  })
  text += "]"
  return [...pieces, Buffer.from(text)]
})

const same = (text: string): string => text

/** The same of items that are JSON already. Its pieces are made once, when it is first sent. */
export class TextList {
  readonly #name: string
  readonly #texts: ReadonlyArray<string>
  #made: Pieces | null = null

  constructor(name: string, texts: ReadonlyArray<string>) {
    this.#name = name
    this.#texts = texts
  }

  /** Whether the list is short enough to be one text. */
  get isShort(): boolean {
    let length = 0
    for (const text of this.#texts) {
      length += text.length
      if (length > pieceLength) return false
    }
    return true
  }

  get text(): string {
    return `"${this.#name}":[${this.#texts.join(",")}]`
  }

  readonly pieces: Effect.Effect<Pieces> = Effect.suspend(() =>
    this.#made === null
      ? Effect.map(listInPieces(this.#name, this.#texts, same), (made) => {
          this.#made = made
          return made
        })
      : Effect.succeed(this.#made),
  )
}
