/**
 * Uploads at once: each holds a connection, an open file and what one read of its connection brings. A few of a user go
 * on at a time and the next ones wait, so that somebody who uploads slowly takes the places of nobody else.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../../clock.ts"
import { type InTurns, makeInTurns } from "../../../fairness/fair-turns.ts"
import { Refusals } from "../../../fairness/refusals.ts"

interface UploadTurnsShape {
  /** `owner`: who uploads, as turns are counted. */
  readonly run: InTurns
}

const limits = {
  capacity: 32,
  perOwner: 4,
  ownerWaiting: 20,
  allWaiting: 200,
  limit: "uploads at once",
  waitMs: 60_000,
} as const

export class UploadTurns extends Context.Service<UploadTurns, UploadTurnsShape>()("parley/chat/UploadTurns") {
  static readonly layer = Layer.effect(
    UploadTurns,
    Effect.gen(function* () {
      return { run: makeInTurns({ clock: yield* Clock, refusals: yield* Refusals }, limits) }
    }),
  )
}
