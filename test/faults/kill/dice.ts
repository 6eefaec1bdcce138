/**
 * Seeded randomness for tests of real processes. The choices follow from the seed, their timing does not, because real processes
 * take their own time. Every actor has its own generator, so that the timing of one does not change another's choices.
 */

const mix = (name: string): number => {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0 || 1
}

export class Dice {
  readonly seed: number
  /** The seed, and whose choices these are. */
  readonly name: string
  #state: number

  constructor(seed: number, name = `${seed}`) {
    this.seed = seed
    this.name = name
    this.#state = mix(name)
    // Names that differ in one character begin alike otherwise.
    for (let n = 0; n < 8; n++) this.next()
  }

  /** From 0 up to, but not including, 1. */
  next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state >>> 0
    return this.#state / 0x1_0000_0000
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  /** A whole number between both ends, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<A>(list: ReadonlyArray<A>): A {
    const [picked] = list.slice(this.below(list.length))
    if (picked === undefined) throw new Error("nothing to pick from")
    return picked
  }

  some<A>(list: ReadonlyArray<A>, share: number): ReadonlyArray<A> {
    return list.filter(() => this.chance(share))
  }

  /** A generator for another actor; it does not depend on how many numbers this one has given. */
  fork(name: string): Dice {
    return new Dice(this.seed, `${this.name}/${name}`)
  }
}
