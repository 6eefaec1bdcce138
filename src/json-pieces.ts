/**
 * Lists of records as JSON in pieces. A list of ten thousand records is a text of megabytes: made, joined or encoded at
 * once it would hold everybody else up, so each is done in slices, and the pieces are never joined. What many answers
 * have in common is one piece that all of them hold. Used by endpoints that answer lists, and by the sections of
 * register.
 */
import * as Effect from "effect/Effect"
import { forEachInSlices } from "./slices.ts"

/** Bytes that many answers hold. They are made, compressed and counted once, however many that are. */
export class SharedPiece {
  /** Tells the two kinds apart for the compiler too: their other fields are the same. */
  readonly isSecret = false
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/**
 * Bytes with keys in them. They are never compressed: beside a text that somebody else chooses, the length of what is
 * compressed tells how far the two are alike.
 */
export class SecretPiece {
  readonly isSecret = true
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

export type JsonPiece = Uint8Array | SharedPiece | SecretPiece
export type JsonPieces = ReadonlyArray<JsonPiece>

export const bytesOf = (piece: JsonPiece): Uint8Array => (piece instanceof Uint8Array ? piece : piece.bytes)

/** Characters of a piece, about. */
const pieceLength = 64 * 1024
/** A list up to this length is written as one text. */
const shortLength = 16 * 1024
/** Parts between two looks at the clock: one may be megabytes. */
const partsPerLook = 1

const encode = (text: string): Uint8Array => Buffer.from(text)

/** A member of a JSON object whose value is a list, `"name":[...]`, made item by item. */
export const listInPieces = Effect.fnUntraced(function* <A>(
  name: string,
  items: Iterable<A>,
  write: (item: A) => string,
): Effect.fn.Return<ReadonlyArray<Uint8Array>> {
  const pieces: Array<Uint8Array> = []
  let text = `"${name}":[`
  let isFirst = true
  yield* forEachInSlices(items, (item) => {
    text += isFirst ? write(item) : `,${write(item)}`
    isFirst = false
    if (text.length < pieceLength) return
    pieces.push(encode(text))
    text = ""
  })
  text += "]"
  return [...pieces, encode(text)]
})

/** A record as JSON. The text never changes: a record that has changed is another item. */
export interface JsonItem {
  readonly text: string
}

/** Items that follow each other in the lists of many answers: encoded when the first of them is sent, and shared. */
export class JsonBlock {
  readonly items: ReadonlyArray<JsonItem>
  #inside: SharedPiece | null = null
  #asLast: SharedPiece | null = null

  constructor(items: ReadonlyArray<JsonItem>) {
    this.items = items
  }

  get text(): string {
    return this.items.map((item) => item.text).join(",")
  }

  /** Bytes that it caches: none before it is sent for the first time. */
  get cachedBytes(): number {
    return (this.#inside?.bytes.length ?? 0) + (this.#asLast?.bytes.length ?? 0)
  }

  /** In characters, or in bytes once it is encoded. */
  get approximateLength(): number {
    return (this.#inside ?? this.#asLast)?.bytes.length ?? this.text.length
  }

  /** With the comma that follows it, unless it ends its list. */
  piece(isLast: boolean): SharedPiece {
    if (isLast) {
      this.#asLast ??= new SharedPiece(encode(this.text))
      return this.#asLast
    }
    this.#inside ??= new SharedPiece(encode(`${this.text},`))
    return this.#inside
  }
}

/** An item; several items; or an item that begins with a text of its own and goes on as others' do. */
export type ListPart = string | JsonBlock | readonly [begin: string, rest: JsonBlock]

const textOf = (part: ListPart): string =>
  typeof part === "string" ? part : part instanceof JsonBlock ? part.text : part[0] + part[1].text

const lengthOf = (part: ListPart): number =>
  typeof part === "string"
    ? part.length
    : part instanceof JsonBlock
      ? part.approximateLength
      : part[0].length + part[1].approximateLength

/**
 * A member whose value is a list, of parts that are JSON already; or an object, of parts that are members of it. Its pieces
 * are made when it is sent.
 */
export class JsonMember {
  readonly #begin: string
  readonly #parts: ReadonlyArray<ListPart>
  readonly #end: string

  constructor(name: string, parts: ReadonlyArray<ListPart>, [begin, end]: readonly [string, string] = ["[", "]"]) {
    this.#begin = `"${name}":${begin}`
    this.#parts = parts
    this.#end = end
  }

  /** Whether the list is short enough to be one text. */
  get isShort(): boolean {
    let length = 0
    for (const part of this.#parts) {
      length += lengthOf(part)
      if (length > shortLength) return false
    }
    return true
  }

  get text(): string {
    return this.#begin + this.#parts.map(textOf).join(",") + this.#end
  }

  readonly pieces: Effect.Effect<JsonPieces> = Effect.suspend(() => {
    const pieces: Array<JsonPiece> = []
    let own = this.#begin
    const share = (piece: SharedPiece) => {
      if (own !== "") pieces.push(encode(own))
      own = ""
      pieces.push(piece)
    }
    let left = this.#parts.length
    const write = (part: ListPart) => {
      left -= 1
      const isLast = left === 0
      if (part instanceof JsonBlock) return share(part.piece(isLast))
      if (typeof part !== "string") {
        own += part[0]
        return share(part[1].piece(isLast))
      }
      own += isLast ? part : `${part},`
      if (own.length < pieceLength) return
      pieces.push(encode(own))
      own = ""
    }
    return Effect.map(forEachInSlices(this.#parts, write, partsPerLook), () => [...pieces, encode(own + this.#end)])
  })
}
