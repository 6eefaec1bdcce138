/** A value that changes, and who wants to know: the views. */
export class Observable<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  get value(): Value {
    return this.#value
  }

  change(next: (value: Value) => Value): void {
    const value = next(this.#value)
    if (value === this.#value) return
    this.#value = value
    for (const listener of this.#listeners) listener()
  }

  /** Answers how to stop. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
