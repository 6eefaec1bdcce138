/**
 * The ids that this process has given at the newest position that it has delivered: those of the row, and above them
 * those of ephemerals, which no table records. Kept by the hub.
 */
import type { WireId } from "../ids.ts"
import { idSpan, indexOf, type LogRow, lastIdOf, positionOf, wireId } from "./event.ts"

/** The newest row when this process began, or row 0. */
export interface StartPosition {
  readonly position: number
  readonly width: number
}

export class IssuedIds {
  readonly #started: StartPosition
  #newest: number
  /** The n of the next ephemeral's id at the newest position. */
  #next: number
  /** The next one is above it. */
  #above = 0

  constructor(started: StartPosition) {
    this.#started = started
    this.#newest = started.position
    this.#next = started.width
  }

  /** The position of the newest row that has been offered to all queues. */
  get newest(): number {
    return this.#newest
  }

  /** The highest id that this process has given at that position, or the last one of the row. */
  get highest(): WireId {
    return lastIdOf(this.#newest, this.#next)
  }

  /** Whether an ephemeral may get an id at the newest position: no earlier process gave one, and some are left. */
  get maySpend(): boolean {
    return this.#newest > this.#started.position && this.#next < idSpan
  }

  /** The id of the next ephemeral. */
  get next(): WireId {
    return wireId(this.#newest, this.#next)
  }

  /**
   * A client has an id at the newest position that another process gave: what comes next here gets a higher one, because the client
   * takes nothing at or below what it has. `isUsed`: an ephemeral is being offered, and keeps its id.
   */
  raise(id: WireId, isUsed: boolean): void {
    if (id < this.next || positionOf(id) !== this.#newest) return
    if (isUsed) this.#above = Math.max(this.#above, indexOf(id))
    else this.#next = indexOf(id) + 1
  }

  /** The ephemeral with the id `next` has been offered to all. */
  spend(): void {
    this.#next = Math.min(Math.max(this.#next, this.#above) + 1, idSpan)
  }

  pass({ position, width }: LogRow): void {
    this.#newest = position
    this.#next = width
    this.#above = 0
  }
}
