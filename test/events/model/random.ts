/** A seeded generator (mulberry32): the same seed makes the same schedule on every machine. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** At least 0, less than 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  /** A whole number from 0 to `most` - 1. */
  below(most: number): number {
    return this.between(0, most - 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(list: ReadonlyArray<T>): T {
    const found = this.find(list)
    if (found === undefined) throw new Error("nothing to pick from")
    return found
  }

  /** Undefined for an empty list. */
  find<T>(list: ReadonlyArray<T>): T | undefined {
    return list[this.between(0, list.length - 1)]
  }

  /** Takes one out of the list. */
  take<T>(list: Array<T>): T | undefined {
    return list.splice(this.between(0, list.length - 1), 1)[0]
  }

  some<T>(list: ReadonlyArray<T>, share: number): ReadonlyArray<T> {
    return list.filter(() => this.chance(share))
  }
}
