/**
 * Long pure work in slices, between which the server does everything else: no list that a request makes may keep others
 * waiting for more than a few milliseconds. What is made in slices must be made of values that do not change meanwhile.
 */
import * as Effect from "effect/Effect"

/** How long a slice may take. */
const sliceMilliseconds = 4
/** Items between two looks at the clock. */
const itemsPerLook = 16

/** The next turn of the event loop, after all input and output that is due. */
export const nextTurn: Effect.Effect<void> = Effect.callback((resume) => {
  setImmediate(() => resume(Effect.void))
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
    yield* nextTurn
    end = performance.now() + sliceMilliseconds
  }
})
