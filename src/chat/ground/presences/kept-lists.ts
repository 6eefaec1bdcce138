/**
 * Lists of presences as clients read them, as members of a JSON object. What is written of a block is kept until one of
 * its people changes, and all answers share it: of ten thousand people who come back once a minute each hears of all
 * others, and nearly all of that is the same bytes.
 */
import { type Piece, SharedPiece } from "../../../json-pieces.ts"
import { blockEntries, LatestChanges } from "./latest-changes.ts"

/** One way in which clients read presences. */
export interface Form {
  /** 0 or 1; what is kept is kept by it. */
  readonly number: number
  /** The member about a person, `"key":value`; null: they are not listed. */
  readonly write: (person: number) => string | null
}
const forms = 2

/** Which people a list has. */
export interface Range {
  /** Those whose last change has a larger id. */
  readonly after: number
  /** Those who were connected then or later, in Unix seconds. */
  readonly since: number
}

interface Written {
  /** Each member with a comma behind it; null: nobody is listed. */
  readonly piece: SharedPiece | null
  /** The first and the last time at which somebody of it was connected. */
  readonly oldest: number
  readonly newest: number
}

/** Nobody has it, whatever is asked for. */
const nobody: Written = { piece: null, oldest: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY }

export class KeptLists {
  readonly changes: LatestChanges
  readonly #connectedAt: (person: number) => number
  /** By form and block. */
  readonly #written: Array<Array<Written | undefined>> = Array.from({ length: forms }, () => [])
  /** Forms that were read since `rest`. */
  readonly #isRead: Array<boolean> = Array.from({ length: forms }, () => false)

  constructor(connectedAt: (person: number) => number) {
    this.#connectedAt = connectedAt
    this.changes = new LatestChanges({ changed: (block) => this.#drop(block), moved: () => this.#dropAll() })
  }

  /** What is written of a person is another now. */
  rewrite(person: number): void {
    const place = this.changes.placeOf(person)
    if (place >= 0) this.#drop(Math.floor(place / blockEntries))
  }

  /** Lets go of what nobody has read since the last call. */
  rest(): void {
    for (const [form, isRead] of this.#isRead.entries()) {
      if (!isRead) this.#written[form] = []
      this.#isRead[form] = false
    }
  }

  /** The members, joined by commas. */
  list(form: Form, { after, since }: Range): ReadonlyArray<Piece> {
    const pieces: Array<Piece> = []
    let own = ""
    const first = this.changes.placeAfter(after)
    for (let from = first; from < this.changes.end; ) {
      const block = Math.floor(from / blockEntries)
      const to = Math.min((block + 1) * blockEntries, this.changes.end)
      const written = from % blockEntries === 0 ? this.#write(form, block) : undefined
      if (written === undefined || (written.oldest < since && written.newest >= since))
        own += this.#writeEach(form, from, to, since)
      else if (written.piece !== null && written.oldest >= since) {
        if (own !== "") pieces.push(Buffer.from(own))
        own = ""
        pieces.push(written.piece)
      }
      from = to
    }
    if (own !== "") return [...pieces, Buffer.from(own.slice(0, -1))]
    const last = pieces.pop()
    return last instanceof SharedPiece ? [...pieces, last.bytes.subarray(0, -1)] : pieces
  }

  /** The members about some people, as one text: for those who may not know of all. */
  listOf({ write }: Form, { after, since }: Range, isKnown: (person: number) => boolean): string {
    const members: Array<string> = []
    for (let place = this.changes.placeAfter(after); place < this.changes.end; place++) {
      const person = this.changes.personAt(place)
      if (person === 0 || this.#connectedAt(person) < since || !isKnown(person)) continue
      const member = write(person)
      if (member !== null) members.push(member)
    }
    return members.join(",")
  }

  /** Writes what a long list needs, a block for each step. */
  *prepare(form: Form, { after }: Range): Iterable<unknown> {
    const first = Math.ceil(this.changes.placeAfter(after) / blockEntries)
    for (let block = first; block * blockEntries < this.changes.end; block++) yield this.#write(form, block)
  }

  #drop(block: number): void {
    for (const written of this.#written) written[block] = undefined
  }

  #dropAll(): void {
    for (const form of this.#written.keys()) this.#written[form] = []
  }

  #writeEach({ write }: Form, from: number, to: number, since: number): string {
    let text = ""
    for (let place = from; place < to; place++) {
      const person = this.changes.personAt(place)
      if (person === 0 || this.#connectedAt(person) < since) continue
      const member = write(person)
      if (member !== null) text += `${member},`
    }
    return text
  }

  #write(form: Form, block: number): Written {
    this.#isRead[form.number] = true
    const written = this.#written[form.number] ?? []
    const known = written[block]
    if (known !== undefined) return known
    const from = block * blockEntries
    const to = Math.min(from + blockEntries, this.changes.end)
    const text = this.#writeEach(form, from, to, 0)
    const fresh = text === "" ? nobody : { piece: new SharedPiece(Buffer.from(text)), ...this.#span(from, to) }
    // Without holes, so that V8 keeps it as a plain list.
    while (written.length < block) written.push(undefined)
    written[block] = fresh
    return fresh
  }

  #span(from: number, to: number): Pick<Written, "oldest" | "newest"> {
    let { oldest, newest } = nobody
    for (let place = from; place < to; place++) {
      const person = this.changes.personAt(place)
      if (person === 0) continue
      oldest = Math.min(oldest, this.#connectedAt(person))
      newest = Math.max(newest, this.#connectedAt(person))
    }
    return { oldest, newest }
  }
}
