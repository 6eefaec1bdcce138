/**
 * Keeps the index of words (search-index.sql) beside the sends: a few times in a second, some messages by each statement,
 * until all are indexed. What a search needs before that, it finds without the index. How far it has come is stored, so it
 * goes on after a restart. When all are indexed, those are indexed anew whose words an older program made.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Unavailable } from "../../../api/errors.ts"
import { Database } from "../../../db/database.ts"
import type { RealmId } from "../../../ids.ts"
import { periodic } from "../../../jobs/job.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { indexMessages, renewWords } from "./search-index-store.ts"

/** Milliseconds between two looks for messages that are not indexed. */
const everyMilliseconds = 300
/**
 * Rest after a statement, as a multiple of the time that it took: the embedded database does one thing at a time, and a
 * server that begins with many messages that are not indexed must serve its users meanwhile.
 */
const restFactor = 3
/**
 * More rows of the log in a second than the index keeps up with in its part of the time. Then it takes less: the sends of
 * a rush are not made slower by an index that is late for them anyway.
 */
const rushRows = 300
const rushRestFactor = 19
/** Milliseconds in which the words of one organization are made anew, before others have their turn and new messages theirs. */
const renewingMilliseconds = 1000
/** Statements that a search waits for, so that it finds nearly everything by the index. */
const maxCatchUpStatements = 4

interface SearchIndexShape {
  /** Indexes what is not yet, as far as that is soon done. */
  readonly catchUp: (realm: RealmId) => Effect.Effect<void, Unavailable>
  /** Indexes all that is not yet, with rests. */
  readonly indexAll: Effect.Effect<void, Unavailable>
}

interface Progress {
  /** The position of the log up to which everything is indexed. */
  through: number
  /** No words of an older program are left. */
  isRenewed: boolean
  readonly turn: Semaphore.Semaphore
}

export class SearchIndex extends Context.Service<SearchIndex, SearchIndexShape>()("parley/chat/SearchIndex") {
  static readonly layer = Layer.effect(
    SearchIndex,
    Effect.gen(function* () {
      const database = yield* Database
      const { isEnding } = yield* Jobs
      const realms = yield* Realms
      const progress = new Map<RealmId, Progress>()

      const progressOf = (id: RealmId): Progress => {
        const known = progress.get(id) ?? { through: -1, isRenewed: false, turn: Semaphore.makeUnsafe(1) }
        progress.set(id, known)
        return known
      }

      const headOf = (id: RealmId): number => realms.running(id)?.realm.position ?? 0

      /** Whether there may be more. A search, which renews nothing, waits for nobody where all is indexed. */
      const step = (id: RealmId, renews: boolean): Effect.Effect<boolean, Unavailable> => {
        const state = progressOf(id)
        const isDone = () => headOf(id) <= state.through && (state.isRenewed || !renews)
        const next = state.turn.withPermit(
          Effect.gen(function* () {
            const head = headOf(id)
            if (head > state.through) {
              const done = yield* indexMessages(database, id)
              // Whoever is at it goes on; the next look finds what is left.
              if (done !== 0) return done > 0
              state.through = head
            }
            if (!renews || state.isRenewed) return false
            const renewed = yield* renewWords(database, id)
            if (renewed !== 0) return renewed > 0
            state.isRenewed = true
            // Chunks that waited for the end of the renewal are looked at by indexMessages.
            state.through = -1
            return true
          }),
        )
        return Effect.suspend(() => (isDone() ? Effect.succeed(false) : next))
      }

      const catchUp = Effect.fnUntraced(function* (id: RealmId, statements: number) {
        for (let done = 0; done < statements; done++) if (!(yield* step(id, false))) return
      })

      /** By the machine's time, as what a statement took is. */
      const rest = (time: number): Effect.Effect<void> =>
        Effect.callback((resume) => {
          const timer = setTimeout(() => resume(Effect.void), time)
          return Effect.sync(() => clearTimeout(timer))
        })
      const indexAll = Effect.suspend(() =>
        Effect.forEach(realms.loaded(), ({ realm }) => catchUpWhile(realm.id), { discard: true }),
      )
      const catchUpWhile = Effect.fnUntraced(function* (id: RealmId) {
        const end = performance.now() + renewingMilliseconds
        for (let factor = restFactor; !isEnding(); ) {
          const [began, head] = [performance.now(), headOf(id)]
          if (!(yield* step(id, began < end))) return
          yield* rest(factor * (performance.now() - began))
          const rowsInSecond = ((headOf(id) - head) * 1000) / (performance.now() - began)
          factor = rowsInSecond > rushRows ? rushRestFactor : restFactor
        }
      })
      return { catchUp: (id) => catchUp(id, maxCatchUpStatements), indexAll }
    }),
  )
}

export const searchIndexJob = periodic({
  name: "index of words",
  everyMilliseconds,
  run: SearchIndex.use(({ indexAll }) => indexAll),
})
