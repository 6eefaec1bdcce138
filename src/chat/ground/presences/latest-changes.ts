/**
 * Who changed when: people in the order of the ids of their last changes, so that what is newer than an id is the end of
 * the order. Whoever changes moves to the end and leaves a hole; once the holes are half of it, the rest moves up. Ids and
 * people stand in typed arrays: 24 bytes for each person, with their holes.
 */

/**
 * Entries that stand together, at most: what is written of them is kept as one. Of a block that an answer begins in, or that
 * has the requester, it may have a piece of its own: of so few entries, by id, that is too short to be compressed each time.
 */
export const blockEntries = 112
const leastRoom = 512

export interface LatestChangesOptions {
  /** An entry of this block is another now. */
  readonly changed: (block: number) => void
  /** All entries have moved. */
  readonly moved: () => void
}

export class LatestChanges {
  readonly #options: LatestChangesOptions
  /** By place; 0: a hole. */
  #people = new Uint32Array(leastRoom)
  /** By place, rising. A hole keeps its id. */
  #ids = new Float64Array(leastRoom)
  /** By person: the place and one; 0: none. */
  #places = new Uint32Array(leastRoom)
  #end = 0
  #size = 0

  constructor(options: LatestChangesOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#size
  }

  /** All places are below it. */
  get end(): number {
    return this.#end
  }

  /** 0: nobody. */
  personAt(place: number): number {
    return this.#people[place] ?? 0
  }

  idAt(place: number): number {
    return this.#ids[place] ?? 0
  }

  /** -1: they have none. */
  placeOf(person: number): number {
    return (this.#places[person] ?? 0) - 1
  }

  /** The first place whose id is above this one. */
  placeAfter(id: number): number {
    let low = 0
    let high = this.#end
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.idAt(middle) > id) high = middle
      else low = middle + 1
    }
    return low
  }

  /** Moves a person to the end. The id is above all others. */
  put(person: number, id: number): void {
    const known = this.placeOf(person)
    if (known < 0) this.#size += 1
    else {
      this.#people[known] = 0
      this.#options.changed(Math.floor(known / blockEntries))
    }
    this.#makeRoom(1)
    this.#set(this.#end, person, id)
    this.#options.changed(Math.floor(this.#end / blockEntries))
    this.#end += 1
  }

  remove(person: number): void {
    const known = this.placeOf(person)
    if (known < 0) return
    this.#people[known] = 0
    this.#places[person] = 0
    this.#size -= 1
    this.#options.changed(Math.floor(known / blockEntries))
  }

  /** Adds people who have no place, with rising ids, among the others: for loading. */
  merge(people: ReadonlyArray<readonly [person: number, id: number]>): void {
    this.#makeRoom(people.length)
    let from = this.#end - 1
    let to = from + people.length
    for (const [person, id] of people.toReversed()) {
      for (; from >= 0 && this.idAt(from) > id; from--) this.#set(to--, this.personAt(from), this.idAt(from))
      this.#set(to--, person, id)
    }
    this.#end += people.length
    this.#size += people.length
    this.#options.moved()
  }

  #set(place: number, person: number, id: number): void {
    this.#people[place] = person
    this.#ids[place] = id
    if (person === 0) return
    if (person >= this.#places.length) this.#places = longer(this.#places, new Uint32Array(2 * person))
    this.#places[person] = place + 1
  }

  #makeRoom(entries: number): void {
    if (this.#end + entries <= this.#people.length) return
    this.#closeHoles()
    const wanted = 2 * (this.#end + entries)
    if (wanted > this.#people.length) {
      this.#people = longer(this.#people, new Uint32Array(wanted))
      this.#ids = longer(this.#ids, new Float64Array(wanted))
    }
    this.#options.moved()
  }

  #closeHoles(): void {
    let to = 0
    for (let from = 0; from < this.#end; from++) {
      if (this.personAt(from) !== 0) this.#set(to++, this.personAt(from), this.idAt(from))
    }
    this.#end = to
  }
}

/** Copies into what is longer. */
const longer = <A extends Uint32Array | Float64Array>(known: A, empty: A): A => {
  empty.set(known)
  return empty
}
