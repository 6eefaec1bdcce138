/**
 * Counts the events that reach the readers of a run, without parsing them: every frame ends with the id of its last
 * event, and ids of messages are positions, so the distance to the previous id is the number of events. Scouts, a few
 * readers whose frames are parsed whole, prove that no event was missing, and know the position of each message.
 */
import { idSpan } from "../../src/events/event.ts"

/** The most positions in flight; a power of two. */
const window = 65_536

/** When one event arrived at each reader, in milliseconds; NaN: not yet. */
interface Sample {
  readonly times: Float64Array
  seen: number
}

export interface ArrivalsOptions {
  readonly readers: number
  /** Number of readers (the first ones) that do not stall. Only they count; an event is complete when all have it. */
  readonly healthy: number
  /** One event in so many is timed, at every reader. */
  readonly stride: number
  /** Each frame holds one event, whose id does not tell how many came before (typing). */
  readonly framesAreEvents: boolean
  readonly onComplete: (position: number, now: number) => void
}

export class Arrivals {
  readonly #options: ArrivalsOptions
  readonly #last: Float64Array
  readonly #counts = new Uint32Array(window)
  readonly samples = new Map<number, Sample>()
  /** Number of the message by position, as the scouts read it. */
  readonly numbers = new Map<number, number>()
  readonly faults: Array<string> = []
  /** Deliveries, frames and bytes of the healthy readers. */
  deliveries = 0
  frames = 0
  bytes = 0
  sampling = false
  /** The newest event that all healthy readers have. */
  newest = 0

  constructor(options: ArrivalsOptions) {
    this.#options = options
    this.#last = new Float64Array(options.readers)
  }

  /** The reader begins after this position. */
  begin(reader: number, position: number): void {
    this.#last[reader] = position
  }

  frame(reader: number, id: number, bytes: number, now: number): void {
    const { framesAreEvents } = this.#options
    const from = this.#last[reader] ?? 0
    // A heartbeat is shorter than any event of a run.
    if (framesAreEvents && bytes < 64) return
    const through = framesAreEvents ? from + 1 : Math.floor(id / idSpan)
    if (through < from) this.fault(`reader ${reader} got ${through} after ${from}`)
    this.#last[reader] = through
    // Nothing counts that a stalled reader took, not even before it stalled.
    if (reader >= this.#options.healthy) return
    this.frames++
    this.bytes += bytes
    for (let position = from + 1; position <= through; position++) {
      this.deliveries++
      const slot = position & (window - 1)
      const count = (this.#counts[slot] ?? 0) + 1
      this.#counts[slot] = count
      if (this.sampling && position % this.#options.stride === 0) this.#sample(position, now)
      if (count === this.#options.healthy) {
        this.#counts[slot] = 0
        this.newest = position
        this.#options.onComplete(position, now)
      }
    }
  }

  /** A scout has read a whole frame: these positions and numbers of messages were in it. */
  scout(reader: number, events: ReadonlyArray<{ readonly position: number; readonly number: number }>): void {
    let expected = (this.#last[reader] ?? 0) + 1
    for (const { position, number } of events) {
      if (position !== expected) this.fault(`reader ${reader} lacks ${expected}, or has it twice: got ${position}`)
      expected = position + 1
      this.numbers.set(position, number)
    }
  }

  fault(text: string): void {
    if (this.faults.length < 20) this.faults.push(text)
  }

  #sample(position: number, now: number): void {
    let sample = this.samples.get(position)
    if (sample === undefined) {
      sample = { times: new Float64Array(this.#options.healthy), seen: 0 }
      this.samples.set(position, sample)
    }
    sample.times[sample.seen++] = now
  }

  /** For another measurement with the same readers. */
  clear(): void {
    this.samples.clear()
    this.numbers.clear()
    this.deliveries = 0
    this.frames = 0
    this.bytes = 0
  }
}
