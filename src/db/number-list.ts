/**
 * Lists of numbers as the database joins them, "1,20,3": a million of these is read in a tenth of the time, and with none of
 * the garbage, that a JSON array of them takes.
 */

const comma = 44
const zero = 48
const nine = 57

/** Reads whole numbers of 0 or more from such a list, one after the other. */
export class NumberList {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** Throws where there is none. */
  next(): number {
    const text = this.#text
    const from = this.#at
    let at = from
    let value = 0
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === comma) break
      if (code < zero || code > nine) throw new Error(`not a list of numbers at ${at}: ${text.slice(from, from + 20)}`)
      value = value * 10 + (code - zero)
    }
    if (at === from) throw new Error("the list of numbers is at its end")
    this.#at = at + 1
    return value
  }
}
