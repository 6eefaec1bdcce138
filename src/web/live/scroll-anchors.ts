/**
 * Where one was in each place that one came through, by the browser's history: Back leads there again. A history entry has a number
 * of its own in its state.
 */

/** The message that is first on the screen, and how far below the top of the list, in pixels. */
export interface ScrollAnchor {
  readonly id: number
  readonly top: number
  /** One looks at the newest, and goes on doing so. */
  readonly isAtEnd: boolean
}

const mostEntries = 200

export class ScrollAnchors {
  readonly #known = new Map<number, ScrollAnchor>()
  #entry = 0
  #last = 0
  /** In the place that is shown. */
  now: ScrollAnchor | null = null

  constructor() {
    this.#enter()
  }

  #enter(): void {
    const known: unknown = Object(history.state).entry
    this.#entry = typeof known === "number" ? known : Date.now()
    if (this.#entry === this.#last) this.#entry++
    this.#last = Math.max(this.#last, this.#entry)
    if (known !== this.#entry) history.replaceState({ entry: this.#entry }, "")
  }

  /** The address has changed: answers where one was when one left what it leads to; null for what is new, and for the newest. */
  move(): ScrollAnchor | null {
    if (this.now !== null) this.#known.set(this.#entry, this.now)
    const [oldest] = this.#known.keys()
    if (this.#known.size > mostEntries && oldest !== undefined) this.#known.delete(oldest)
    this.#enter()
    this.now = this.#known.get(this.#entry) ?? null
    return this.now?.isAtEnd === false ? this.now : null
  }
}
