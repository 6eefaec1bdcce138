/**
 * A line in which the nearest comes first, whatever the order in which its members came: a binary heap. With tens of
 * thousands of members, sorting them again for each few that are taken would hold everybody else up. Used by
 * search-walk.ts and topics-store.ts.
 */
export class NearestHeap<A> {
  readonly #distance: (member: A) => number
  /** The parent of member n is member (n - 1) / 2, rounded down, and is not further away. */
  readonly #members: Array<A> = []

  /** The distance of a member must not change while it is in the line. */
  constructor(distance: (member: A) => number) {
    this.#distance = distance
  }

  get first(): A | undefined {
    return this.#members[0]
  }

  add(member: A): void {
    const distance = this.#distance(member)
    let at = this.#members.push(member) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      const parent = this.#members[above]
      if (parent === undefined || this.#distance(parent) <= distance) break
      this.#members[at] = parent
      at = above
    }
    this.#members[at] = member
  }

  take(): A | undefined {
    const nearest = this.#members[0]
    const last = this.#members.pop()
    if (last !== undefined && this.#members.length > 0) this.#sink(last)
    return nearest
  }

  /** Puts a member in the first place, and moves it down to where it belongs. */
  #sink(member: A): void {
    const distance = this.#distance(member)
    let at = 0
    for (;;) {
      const left = this.#members[2 * at + 1]
      const right = this.#members[2 * at + 2]
      if (left === undefined) break
      const isRight = right !== undefined && this.#distance(right) < this.#distance(left)
      const child = isRight ? right : left
      if (this.#distance(child) >= distance) break
      this.#members[at] = child
      at = 2 * at + (isRight ? 2 : 1)
    }
    this.#members[at] = member
  }
}
