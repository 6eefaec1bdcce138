/**
 * Lists of presences as clients read them, as members of a JSON object. What is written of a block is kept until one of
 * its people changes, and all answers share it: of ten thousand people who come back once a minute each hears of all
 * others, and nearly all of that is the same bytes. So that it is all but the requester's own, a list of many people shows
 * changes once in two seconds: answers between share their first and their last block, too, and who hears of the same
 * changes now asks for what is newer than the same id a minute later.
 */
import { bytesOf, type JsonPiece, SharedPiece } from "../../../json-pieces.ts"
import { blockEntries, LatestChanges } from "./latest-changes.ts"

/** One way in which clients read presences. */
export interface PresenceForm {
  /** 0 or 1; what is kept is kept by it. */
  readonly number: number
  /** The key of the member about a person, as JSON. */
  readonly key: (person: number) => string
  /** The member about a person, `"key":value`; null: they are not listed. */
  readonly write: (person: number) => string | null
}
const forms = 2

/** In lists of fewer people each change shows at once. */
export const shownAtOnce = 2 * blockEntries
/** Seconds for which longer lists do not change. */
export const keptSeconds = 2
/** First parts of blocks that are kept: those of answers that begin within a block. */
const mostBegins = 16

/** Which people a list has. */
export interface PresenceRange {
  /** Those whose last change has a larger id. */
  readonly after: number
  /** Those who were connected then or later, in Unix seconds. */
  readonly since: number
}

interface WrittenBlock {
  /** Each member with a comma behind it; null: nobody is listed. */
  readonly piece: SharedPiece | Uint8Array | null
  /** The first and the last time at which somebody of it was connected. */
  readonly oldest: number
  readonly newest: number
}

/** Nobody has it, whatever is asked for. */
const nobody: WrittenBlock = { piece: null, oldest: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY }

export class CachedPresenceLists {
  readonly changes: LatestChanges
  readonly #connectedAt: (person: number) => number
  /** By form and block. */
  readonly #written: Array<Array<WrittenBlock | undefined>> = Array.from({ length: forms }, () => [])
  /** The ends of blocks with which lists begin, by form and first place. */
  readonly #begins: Array<Map<number, WrittenBlock>> = Array.from({ length: forms }, () => new Map())
  /** Forms that were read since `rest`. */
  readonly #isRead: Array<boolean> = Array.from({ length: forms }, () => false)
  /** Changes that lists do not show yet: their ids by person, rising. Each of these people is listed as they were. */
  readonly #coming = new Map<number, number>()
  /** Unix seconds. */
  #renewedAt = 0

  constructor(connectedAt: (person: number) => number) {
    this.#connectedAt = connectedAt
    this.changes = new LatestChanges({ changed: (block) => this.#drop(block), moved: () => this.#dropAll() })
  }

  /** A person has changed; the id is above all others. */
  put(person: number, id: number): void {
    if (this.changes.size >= shownAtOnce && this.changes.placeOf(person) >= 0) {
      // To the end, where a newer one belongs.
      this.#coming.delete(person)
      this.#coming.set(person, id)
      return
    }
    this.showAll()
    this.changes.put(person, id)
  }

  remove(person: number): void {
    this.#coming.delete(person)
    this.changes.remove(person)
  }

  /** The id of the first change that lists do not show yet. */
  get firstComing(): number | undefined {
    const [id] = this.#coming.values()
    return id
  }

  /** Of the last change of a person who has one. */
  idOf(person: number): number {
    return this.#coming.get(person) ?? this.changes.idAt(this.changes.placeOf(person))
  }

  /** Has lists show all changes. */
  showAll(): void {
    for (const [person, id] of this.#coming) this.changes.put(person, id)
    this.#coming.clear()
  }

  /** The same, unless it was done a moment ago. To be called before a list is made; `now`: Unix seconds. */
  renew(now: number): void {
    // The clock may have been set back.
    if (Math.abs(now - this.#renewedAt) < keptSeconds) return
    this.#renewedAt = now
    this.showAll()
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
    this.#dropBegins()
  }

  /** The members, joined by commas. The requester is in it as they are now. */
  list(form: PresenceForm, { after, since }: PresenceRange, requester: number): ReadonlyArray<JsonPiece> {
    const pieces: Array<JsonPiece> = []
    let own = ""
    const isComing = this.#coming.has(requester)
    const place = isComing ? this.changes.placeOf(requester) : -1
    for (let from = this.changes.placeAfter(after); from < this.changes.end; ) {
      const to = Math.min((Math.floor(from / blockEntries) + 1) * blockEntries, this.changes.end)
      const isIn = from <= place && place < to
      const written = this.#writeFrom(form, from, to)
      if (written.oldest < since && written.newest >= since)
        own += this.#writeEach(form, from, to, since, isIn ? requester : 0)
      else if (written.piece !== null && written.oldest >= since) {
        if (own !== "") pieces.push(Buffer.from(own))
        own = ""
        if (isIn) pieces.push(...without(bytesOf(written.piece), form.key(requester)))
        else pieces.push(written.piece)
      }
      from = to
    }
    const latest = isComing ? form.write(requester) : null
    if (latest !== null) own += `${latest},`
    if (own !== "") return [...pieces, Buffer.from(own.slice(0, -1))]
    const last = pieces.pop()
    return last === undefined ? pieces : [...pieces, bytesOf(last).subarray(0, -1)]
  }

  /** The members about some people, as one text: for those who may not know of all. The requester is in it as they are now. */
  listOf(
    { write }: PresenceForm,
    { after, since }: PresenceRange,
    requester: number,
    isKnown: (person: number) => boolean,
  ): string {
    const members: Array<string> = []
    const isComing = this.#coming.has(requester)
    for (let place = this.changes.placeAfter(after); place < this.changes.end; place++) {
      const person = this.changes.personAt(place)
      if (person === 0 || this.#connectedAt(person) < since || !isKnown(person)) continue
      const member = isComing && person === requester ? null : write(person)
      if (member !== null) members.push(member)
    }
    const latest = isComing ? write(requester) : null
    if (latest !== null) members.push(latest)
    return members.join(",")
  }

  /** Writes what a long list needs, a block for each step. */
  *prepare(form: PresenceForm, { after }: PresenceRange): Iterable<unknown> {
    const first = Math.ceil(this.changes.placeAfter(after) / blockEntries)
    for (let block = first; block * blockEntries < this.changes.end; block++) yield this.#write(form, block)
  }

  #drop(block: number): void {
    for (const written of this.#written) written[block] = undefined
    this.#dropBegins()
  }

  #dropAll(): void {
    for (const form of this.#written.keys()) this.#written[form] = []
    this.#dropBegins()
  }

  #dropBegins(): void {
    for (const begins of this.#begins) begins.clear()
  }

  #writeEach({ write }: PresenceForm, from: number, to: number, since: number, without = 0): string {
    let text = ""
    for (let place = from; place < to; place++) {
      const person = this.changes.personAt(place)
      if (person === 0 || person === without || this.#connectedAt(person) < since) continue
      const member = write(person)
      if (member !== null) text += `${member},`
    }
    return text
  }

  /** Of a block, or of its end. */
  #writeFrom(form: PresenceForm, from: number, to: number): WrittenBlock {
    if (from % blockEntries === 0) return this.#write(form, from / blockEntries)
    const begins = this.#begins[form.number] ?? new Map<number, WrittenBlock>()
    const known = begins.get(from)
    if (known !== undefined) {
      // It is shared from the second time on: of its own no list has it compressed.
      const again = known.piece instanceof Uint8Array ? { ...known, piece: new SharedPiece(known.piece) } : known
      begins.set(from, again)
      return again
    }
    if (begins.size >= mostBegins) begins.clear()
    const fresh = this.#writeAnew(form, from, to, (bytes) => bytes)
    begins.set(from, fresh)
    return fresh
  }

  #writeAnew(
    form: PresenceForm,
    from: number,
    to: number,
    pieceOf: (bytes: Uint8Array) => SharedPiece | Uint8Array,
  ): WrittenBlock {
    const text = this.#writeEach(form, from, to, 0)
    return text === "" ? nobody : { piece: pieceOf(Buffer.from(text)), ...this.#span(from, to) }
  }

  #write(form: PresenceForm, block: number): WrittenBlock {
    this.#isRead[form.number] = true
    const written = this.#written[form.number] ?? []
    const known = written[block]
    if (known !== undefined) return known
    const from = block * blockEntries
    const to = Math.min(from + blockEntries, this.changes.end)
    const fresh = this.#writeAnew(form, from, to, (bytes) => new SharedPiece(bytes))
    // Without holes, so that V8 keeps it as a plain list.
    while (written.length < block) written.push(undefined)
    written[block] = fresh
    return fresh
  }

  #span(from: number, to: number): Pick<WrittenBlock, "oldest" | "newest"> {
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

const opening = "{".charCodeAt(0)
const closing = "}".charCodeAt(0)

/** The place behind the object that begins there. No text in it has a brace. */
const endOfObject = (bytes: Uint8Array, from: number): number => {
  let depth = 0
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === opening) depth += 1
    if (bytes[at] !== closing) continue
    depth -= 1
    if (depth === 0) return at + 1
  }
  return bytes.length
}

/** What is written of a block, but the member with this key and its comma. */
const without = (bytes: Uint8Array, key: string): ReadonlyArray<Uint8Array> => {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const begin = Buffer.from(`${key}:{`)
  // A key may end as another one does, but only at its beginning there is a comma before the quotation mark.
  const isFirst = begin.equals(text.subarray(0, begin.length))
  const from = isFirst ? 0 : text.indexOf(Buffer.concat([Buffer.from(","), begin])) + 1
  if (from === 0 && !isFirst) return [bytes]
  const to = endOfObject(bytes, from + begin.length - 1) + 1
  return [bytes.subarray(0, from), bytes.subarray(to)].filter((part) => part.length > 0)
}
