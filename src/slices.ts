/**
 * Long pure work in slices, between which the server does everything else: no list that a request makes may keep others
 * waiting for more than a few milliseconds. In each turn of the event loop there is one slice of all work together,
 * because a commit takes several turns from its request to its events. What is made in slices must be made of values
 * that do not change meanwhile.
 */
import * as Effect from "effect/Effect"

/** How long a slice may take. */
const sliceMilliseconds = 4
/** Items between two looks at the clock. */
const itemsPerLook = 16

/** The work that waits for its next slice: one line, as there is one event loop. */
const line: Array<() => void> = []

const serve = (): void => {
  const next = line.shift()
  if (line.length > 0) setImmediate(serve)
  next?.()
}

/** Waits for a slice of its own. */
export const nextSlice: Effect.Effect<void> = Effect.callback((resume) => {
  line.push(() => resume(Effect.void))
  if (line.length === 1) setImmediate(serve)
})

/** Calls `act` for each item, in order. */
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
