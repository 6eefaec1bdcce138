/**
 * Queues that are asked for and not in memory. Those that are wanted meanwhile are loaded together, some in a statement and
 * few statements at a time, so that ten thousand clients that return to a new process cost few, and a commit waits for three
 * of them at most; and those who wait go on in slices, while the database is asked for the next.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Unavailable } from "../../api/errors.ts"
import { forEachInSlices, nextSlice } from "../../slices.ts"
import type { StoredQueue } from "../queue-store.ts"

/** Queues of a statement: its answer is decoded at once, 30 µs a queue, and those of several may come in one turn of the loop. */
const idsAtOnce = 32
/** More would stand before a commit in the embedded database; with one, ten thousand queues would take 300 turns of the loop. */
const statementsAtOnce = 3

export interface QueueLoaderOptions {
  readonly load: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredQueue>, Unavailable>
  /** Runs a task in a later turn of the loop. */
  readonly defer: (task: () => void) => void
}

type QueueLookup = Effect.Effect<StoredQueue | null, Unavailable>

export interface QueueLoader {
  /** Null where there is no such queue. */
  readonly find: (id: string) => QueueLookup
  /** The queue was deleted: who waits for it meanwhile does not get it, whatever was read of it before. */
  readonly end: (id: string) => void
}

type QueueWaiters = Array<(found: QueueLookup) => void>
type WantedQueues = Map<string, QueueWaiters>

export const makeQueueLoader = ({ load, defer }: QueueLoaderOptions): QueueLoader => {
  const wanted: WantedQueues = new Map()
  /**
   * Asked for, and not yet given to those who wait. Who wants one of them joins: of two statements for one row, the second to
   * write it would not find it (queue-store.ts).
   */
  const underWay: WantedQueues = new Map()
  /** Those of them that were deleted meanwhile. */
  const ended = new Set<string>()
  /** Found, and not yet given to those who wait. */
  let found: Array<() => void> = []
  let isGiving = false
  let atWork = 0
  let isArmed = false

  const takePart = (): ReadonlyArray<readonly [string, QueueWaiters]> => {
    const part: Array<readonly [string, QueueWaiters]> = []
    for (const each of wanted) {
      if (part.length === idsAtOnce) break
      part.push(each)
      wanted.delete(each[0])
      underWay.set(...each)
    }
    return part
  }

  /** Gives queues to those who wait. Each goes on within the call, to read the log: so each is work of a slice. */
  const giveAll = Effect.gen(function* () {
    while (found.length > 0) {
      yield* nextSlice
      const part = found
      found = []
      yield* forEachInSlices(part, (give) => give(), 1)
    }
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isGiving = false
      }),
    ),
  )

  const loadPart = Effect.fnUntraced(function* (part: ReadonlyArray<readonly [string, QueueWaiters]>) {
    const exit = yield* Effect.exit(Effect.suspend(() => load(part.map(([id]) => id))))
    const stored = new Map(Exit.isSuccess(exit) ? exit.value.map((each) => [String(each.id), each]) : [])
    for (const [id, resumes] of part) {
      const answer = Exit.map(exit, () => stored.get(id) ?? null)
      found.push(() => {
        underWay.delete(id)
        const isEnded = ended.delete(id)
        for (const resume of resumes) resume(isEnded ? Effect.succeed(null) : answer)
      })
    }
    if (isGiving) return
    isGiving = true
    Effect.runFork(giveAll)
  })

  const loadAll = Effect.fnUntraced(function* () {
    for (let part = takePart(); part.length > 0; part = takePart()) yield* loadPart(part)
  })

  const begin = (): void => {
    isArmed = false
    atWork += 1
    const end = Effect.sync(() => {
      atWork -= 1
    })
    Effect.runFork(Effect.ensuring(loadAll(), end))
  }

  return {
    find: (id) =>
      Effect.callback((resume) => {
        const others = wanted.get(id) ?? underWay.get(id)
        if (others === undefined) wanted.set(id, [resume])
        else others.push(resume)
        if (isArmed || atWork === statementsAtOnce) return
        isArmed = true
        defer(begin)
      }),
    end: (id) => {
      if (underWay.has(id)) ended.add(id)
    },
  }
}
