/**
 * The newest messages of topics, for links to topics. Whoever asks while a statement is under way is asked for by the next
 * one, together with all others who do: users' reads wait for commits in the embedded database, and sends that each read for
 * themselves took turns, 15 a second.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Caller, requesterName } from "../../../api/endpoint.ts"
import type { RequestFailure } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { UserReads } from "../../../db/reads.ts"
import { makeInTurns } from "../../../fairness/fair-turns.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import type { MessageId } from "../../../ids.ts"
import { findNewest, type WantedTopic } from "./newest-topics-store.ts"

type NewestMessages = ReadonlyArray<MessageId | undefined>

interface NewestTopicsShape {
  /**
   * The newest message of each topic, in the same order; undefined where the caller may see none. Fails as a read does, with
   * 503 where too many wait.
   */
  readonly find: (caller: Caller, wanted: ReadonlyArray<WantedTopic>) => Effect.Effect<NewestMessages, RequestFailure>
}

interface NewestTopicsRequest {
  readonly caller: Caller
  readonly wanted: ReadonlyArray<WantedTopic>
  readonly resume: (newest: Effect.Effect<NewestMessages, RequestFailure>) => void
}

/** Messages that are asked for in one statement at most: of 20 topics each it takes 10 ms. */
const lineLimits = { capacity: 64, perOwner: 16, ownerWaiting: 100, allWaiting: 2000, waitMs: 10_000 }

const make = Effect.gen(function* () {
  const reads = yield* UserReads
  const inTurns = makeInTurns(
    { clock: yield* Clock, refusals: yield* Refusals },
    { ...lineLimits, limit: "reads of a user" },
  )
  let gathered: Array<NewestTopicsRequest> = []
  let isReading = false

  const find = (all: ReadonlyArray<NewestTopicsRequest>) =>
    findNewest(
      reads.begin("links to topics"),
      all.flatMap(({ caller, wanted }) =>
        wanted.map((topic) => ({ ...topic, realm: caller.realm, reader: caller.user })),
      ),
    )

  const readAll = Effect.gen(function* () {
    while (gathered.length > 0) {
      const all = gathered
      gathered = []
      const exit = yield* Effect.exit(find(all))
      let place = 0
      for (const { wanted, resume } of all) {
        const first = place
        place += wanted.length
        resume(Effect.map(exit, (found) => wanted.map((_, at) => found.get(first + at))))
      }
    }
    isReading = false
  })

  const gather = (caller: Caller, wanted: ReadonlyArray<WantedTopic>) =>
    Effect.callback<NewestMessages, RequestFailure>((resume) => {
      gathered.push({ caller, wanted, resume })
      if (isReading) return
      isReading = true
      Effect.runFork(readAll)
    })

  const shape: NewestTopicsShape = {
    find: (caller, wanted) => inTurns(requesterName(caller), gather(caller, wanted)),
  }
  return shape
})

export class NewestTopics extends Context.Service<NewestTopics, NewestTopicsShape>()("parley/chat/NewestTopics") {
  static readonly layer = Layer.effect(NewestTopics, make)
}
