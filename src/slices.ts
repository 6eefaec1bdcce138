/**
 * Long pure work in slices, between which the server does everything else: no list that a request makes may keep others
 * waiting for more than a few milliseconds. In each turn of the event loop there is one slice of all work together,
 * because a commit takes several turns from its request to its events. What is made in slices must be made of values
 * that do not change meanwhile.
 */
import * as Effect from "effect/Effect"

/** Milliseconds that a slice may take. */
const sliceMilliseconds = 2
/** Items between two looks at the clock. */
const itemsPerLook = 16

/** Runs a task in a later turn of the loop, after so many milliseconds. */
type RunLater = (milliseconds: number, task: () => void) => void

const realLater: RunLater = (milliseconds, task) =>
  void (milliseconds < 1 ? setImmediate(task) : setTimeout(task, milliseconds))

/** Gives slices in turn to all work of the process, because it has one event loop. */
export class SliceLine {
  readonly #later: RunLater
  readonly #waiting: Array<() => void> = []
  #isArmed = false

  constructor(later: RunLater = realLater) {
    this.#later = later
  }

  enter(begin: () => void): void {
    this.#waiting.push(begin)
    this.#arm(0)
  }

  #arm(restMs: number): void {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#later(restMs, () => this.#serve())
  }

  /**
   * While several others wait, a slice is followed by a rest as long as itself: half of the time is for all else. Two that
   * take turns, as those who find their queues and those who read their past after an outage do, left the loop idle by it
   * for a third of the time.
   */
  #serve(): void {
    const began = performance.now()
    this.#waiting.shift()?.()
    this.#isArmed = false
    if (this.#waiting.length > 0) this.#arm(this.#waiting.length > 2 ? performance.now() - began : 0)
  }
}

const line = new SliceLine()

/** Runs a task in a slice, in which it works for a few milliseconds at most. It must not throw. */
export const inSlice = (task: () => void): void => line.enter(task)

/** Waits for a slice. */
export const nextSlice: Effect.Effect<void> = Effect.callback((resume) => {
  line.enter(() => resume(Effect.void))
})

/** Calls `act` for each item, in order. The first slice begins at once: for more than one, begin with `nextSlice`. */
export const forEachInSlices = Effect.fnUntraced(function* <A>(
  items: Iterable<A>,
  act: (item: A) => void,
  perLook = itemsPerLook,
) {
  let end = performance.now() + sliceMilliseconds
  let left = perLook
  for (const item of items) {
    act(item)
    left -= 1
    if (left > 0) continue
    left = perLook
    if (performance.now() < end) continue
    yield* nextSlice
    end = performance.now() + sliceMilliseconds
  }
})
