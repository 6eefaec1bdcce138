/**
 * Queues that are asked for and not in memory. Those of one turn of the loop are loaded together, a hundred in a
 * statement, so that ten thousand clients that return to a new process cost few; and those who wait go on in slices.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Unavailable } from "../../errors.ts"
import { forEachInSlices } from "../../slices.ts"
import type { StoredQueue } from "../queue-store.ts"

/** Queues of a statement: its answer is decoded at once, 30 µs a queue. */
const idsAtOnce = 100

export interface QueueLoadsOptions {
  readonly load: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredQueue>, Unavailable>
  /** Runs a task in a later turn of the loop. */
  readonly defer: (task: () => void) => void
}

type Found = Effect.Effect<StoredQueue | null, Unavailable>
type Resumes = Array<(found: Found) => void>
type Wanted = Map<string, Resumes>

/** Answers the function that finds one; null where there is no such queue. */
export const makeQueueLoads = ({ load, defer }: QueueLoadsOptions): ((id: string) => Found) => {
  let wanted: Wanted = new Map()

  const loadPart = Effect.fnUntraced(function* (part: ReadonlyArray<readonly [string, Resumes]>) {
    const exit = yield* Effect.exit(load(part.map(([id]) => id)))
    const stored = new Map(Exit.isSuccess(exit) ? exit.value.map((each) => [String(each.id), each]) : [])
    yield* forEachInSlices(part, ([id, resumes]) => {
      const found = Exit.map(exit, () => stored.get(id) ?? null)
      for (const resume of resumes) resume(found)
    })
  })

  const loadAll = Effect.fnUntraced(function* () {
    const all = [...wanted]
    wanted = new Map()
    for (let from = 0; from < all.length; from += idsAtOnce) yield* loadPart(all.slice(from, from + idsAtOnce))
  })

  return (id) =>
    Effect.callback((resume) => {
      if (wanted.size === 0) defer(() => void Effect.runFork(loadAll()))
      const others = wanted.get(id)
      if (others === undefined) wanted.set(id, [resume])
      else others.push(resume)
    })
}
