/**
 * The subscriptions of one channel over time, in columns: 16 bytes for each, open or closed. As objects they took thirty
 * times as much, which with two million of them was a gigabyte. A subscription has a row; rows are sorted by user, and those
 * of a user from the oldest on, so that a user's rows are found by a binary search and stand beside each other.
 */

type Numbers = Uint32Array | Float64Array

/** How an open row is closed, in columns of 32 bits: a position that no row of these can have. */
const narrowOpen = 0xffff_ffff
/** Rows for which a channel has room at first, and the share by which it grows when it is full. */
const fewRows = 4
const growth = 1.25

export class ChannelSpans {
  /** Number of rows. */
  size = 0
  #isSorted = true
  #user = new Uint32Array(fewRows)
  #opened: Numbers = new Uint32Array(fewRows)
  #closed: Numbers = new Uint32Array(fewRows)
  #readsFrom: Numbers = new Uint32Array(fewRows)
  /** Later than every position; columns get 64 bits when a log comes to have four billion rows. */
  #open = narrowOpen

  userAt(row: number): number {
    return this.#user[row] ?? 0
  }

  openedAt(row: number): number {
    return this.#opened[row] ?? 0
  }

  /** null: still open. */
  closedAt(row: number): number | null {
    return this.isOpenAt(row) ? null : (this.#closed[row] ?? 0)
  }

  /** From where on its user holds what came into the channel: `opened`, or an earlier position. */
  readsFromAt(row: number): number {
    return this.#readsFrom[row] ?? 0
  }

  isOpenAt(row: number): boolean {
    return this.#closed[row] === this.#open
  }

  /** What is asked about may be later than all that there is. */
  #endsAfter(row: number, position: number): boolean {
    return position < (this.#closed[row] ?? 0) || this.isOpenAt(row)
  }

  coversAt(row: number, position: number): boolean {
    return (this.#opened[row] ?? 0) <= position && this.#endsAfter(row, position)
  }

  /** Whether its user holds what came into the channel at one of the positions from `since` to `through`. */
  holdsAt(row: number, since: number, through: number): boolean {
    return (this.#readsFrom[row] ?? 0) <= through && this.#endsAfter(row, since)
  }

  /**
   * The first row of a user, or of those after them. Ids are given one after the other, so it is near the place where it
   * would be if those here were spread evenly: it is looked for from there, in growing steps. A search by halves from the
   * whole reads memory in many places, none of which is in a cache.
   */
  firstOf(user: number): number {
    const users = this.#user
    const end = this.size - 1
    const [least = 0, most = 0] = [users[0], users[end]]
    if (end < 0 || user <= least) return 0
    if (user > most) return this.size
    // What is at `low` is before the user, what is at `high` is not.
    let [low, high, step] = [0, end, 1]
    const guess = Math.floor((end * (user - least)) / (most - least))
    if ((users[guess] ?? 0) < user) {
      for (low = guess; low + step < high && (users[low + step] ?? 0) < user; step *= 2) low += step
      high = Math.min(high, low + step)
    } else {
      for (high = guess; high - step > low && (users[high - step] ?? 0) >= user; step *= 2) high -= step
      low = Math.max(low, high - step)
    }
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((users[middle] ?? 0) < user) low = middle
      else high = middle
    }
    return high
  }

  /** The row after the last one of a user. */
  endOf(user: number): number {
    return this.firstOf(user + 1)
  }

  /** The newest row of a user; -1: they were never here. */
  lastOf(user: number): number {
    const row = this.endOf(user) - 1
    return this.#user[row] === user ? row : -1
  }

  /** Adds rows of users, sorted, each newer than those that its user has. */
  add(users: ArrayLike<number>, opened: number, closed: number | null, readsFrom: number): void {
    this.#makeRoom(this.size + users.length)
    this.#fit(Math.max(opened, closed ?? 0))
    let from = this.size
    let to = this.size + users.length
    // From the end, and each stretch between two new rows at once.
    for (let n = users.length - 1; n >= 0; n--) {
      const user = users[n] ?? 0
      const at = this.endOf(user)
      to -= from - at
      if (to !== at) for (const column of this.#columns()) column.copyWithin(to, at, from)
      from = at
      to -= 1
      this.#put(to, user, opened, closed, readsFrom)
    }
    this.size += users.length
  }

  /** Closes what is open of a user. */
  close(user: number, position: number): void {
    this.#fit(position)
    for (let row = this.firstOf(user); this.#user[row] === user && row < this.size; row++)
      if (this.isOpenAt(row)) this.#closed[row] = position
  }

  /** Lets a user's open row reach further back. */
  give(user: number, readsFrom: number): void {
    for (let row = this.firstOf(user); this.#user[row] === user && row < this.size; row++)
      if (this.isOpenAt(row) && readsFrom < this.readsFromAt(row)) this.#readsFrom[row] = readsFrom
  }

  /** Adds a row in any order: nothing may be asked before `settle`. */
  append(user: number, opened: number, closed: number | null, readsFrom: number): void {
    const row = this.size
    const before = row === 0 ? -1 : this.userAt(row - 1)
    if (user < before || (user === before && opened < this.openedAt(row - 1))) this.#isSorted = false
    this.#makeRoom(row + 1)
    this.#fit(Math.max(opened, closed ?? 0))
    this.#put(row, user, opened, closed, readsFrom)
    this.size += 1
  }

  /** Sorts what was appended, which takes 10 ms for 100,000 rows that were not sorted, and gives room back. */
  settle(): void {
    if (!this.#isSorted) this.#sort()
    this.#isSorted = true
    this.#resize(Math.max(fewRows, this.size))
  }

  #sort(): void {
    const { size } = this
    // Numbers that say both: such an array is sorted without a call for each comparison.
    const order = Float64Array.from({ length: size }, (_, row) => this.userAt(row) * size + row).sort()
    const rowAt = (n: number) => (order[n] ?? 0) % size
    const [user, opened, closed, readsFrom] = [this.#user, this.#opened, this.#closed, this.#readsFrom]
    this.#user = user.map((_, n) => user[rowAt(n)] ?? 0)
    this.#opened = opened.map((_, n) => opened[rowAt(n)] ?? 0)
    this.#closed = closed.map((_, n) => closed[rowAt(n)] ?? 0)
    this.#readsFrom = readsFrom.map((_, n) => readsFrom[rowAt(n)] ?? 0)
    for (let row = 1; row < size; row++)
      for (let at = row; at > 0 && this.#isOlder(at, at - 1); at--) this.#swap(at, at - 1)
  }

  #isOlder(row: number, other: number): boolean {
    return this.#user[row] === this.#user[other] && this.openedAt(row) < this.openedAt(other)
  }

  #swap(row: number, other: number): void {
    for (const column of this.#columns()) [column[row], column[other]] = [column[other] ?? 0, column[row] ?? 0]
  }

  #put(row: number, user: number, opened: number, closed: number | null, readsFrom: number): void {
    this.#user[row] = user
    this.#opened[row] = opened
    this.#closed[row] = closed ?? this.#open
    this.#readsFrom[row] = readsFrom
  }

  #columns(): ReadonlyArray<Numbers> {
    return [this.#user, this.#opened, this.#closed, this.#readsFrom]
  }

  #makeRoom(size: number): void {
    const room = this.#user.length
    if (size > room) this.#resize(Math.max(size, Math.ceil(room * growth)))
  }

  #resize(room: number): void {
    if (room === this.#user.length) return
    const resized = <N extends Numbers>(column: N, wanted: N): N => {
      wanted.set(column.subarray(0, room))
      return wanted
    }
    const like = (column: Numbers) =>
      resized<Numbers>(column, column instanceof Uint32Array ? new Uint32Array(room) : new Float64Array(room))
    this.#user = resized(this.#user, new Uint32Array(room))
    this.#opened = like(this.#opened)
    this.#closed = like(this.#closed)
    this.#readsFrom = like(this.#readsFrom)
  }

  /** Makes the columns wide enough for a position. */
  #fit(position: number): void {
    if (position < this.#open) return
    this.#opened = Float64Array.from(this.#opened)
    this.#closed = Float64Array.from(this.#closed, (closed) =>
      closed === narrowOpen ? Number.POSITIVE_INFINITY : closed,
    )
    this.#readsFrom = Float64Array.from(this.#readsFrom)
    this.#open = Number.POSITIVE_INFINITY
  }
}
