/**
 * The time of a process that serves a database together with others is the database's, so that all of them agree on what is due and
 * what is over. Durations and timers are its own.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock, type ClockShape } from "../../clock.ts"
import { Database } from "../database.ts"
import { DatabaseUnusable } from "../open-failures.ts"

/** Milliseconds: a process whose own clock is further from the database's does not start, because somebody should set it. */
const mostApart = 5 * 60_000

/** Why a process whose clock is so many milliseconds ahead of the database's must not start, in a line; null: it may. */
const faultOf = (ahead: number): string | null =>
  Math.abs(ahead) <= mostApart
    ? null
    : `The clock of this machine is ${Math.round(Math.abs(ahead) / 60_000)} minutes ${ahead > 0 ? "ahead of" : "behind"} that of the database: set it, best by NTP`

/** That of the process itself where it is alone. `driven`: the time in place of the database's, where a test holds it. */
export const agreedClock = (own: ClockShape, driven: () => number | null) =>
  Layer.effect(
    Clock,
    Effect.gen(function* () {
      const { cluster } = yield* Database
      if (cluster === undefined) return own
      const now = () => driven() ?? Math.floor(cluster.now())
      const message = faultOf(own.now() - now())
      return message === null ? { ...own, now } : yield* new DatabaseUnusable({ message })
    }),
  )
