/**
 * Reads that users ask for. Their statements stand in one bounded line, taken in turns by user, so that somebody with a
 * thousand slow searches delays another's by a statement or two; and a read has a time limit. Reads that the server
 * needs itself use `database.query`. A statement should take 20 ms at most: the embedded database cannot stop one, so a
 * read that may take longer is made of several (chat/reading/history/walk/search-walk.ts).
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ApiError, rateLimited, readTooSlow, serviceUnavailable, type Unavailable } from "../api/errors.ts"
import { Clock, type ClockShape } from "../clock.ts"
import { Config } from "../config/config.ts"
import {
  awaitTurn,
  FairTurns,
  type NoTurn,
  type RestAfterTurn,
  realRest,
  type TurnRequest,
} from "../fairness/fair-turns.ts"
import { Refusals, type RefusalsShape } from "../fairness/refusals.ts"
import { Database, type DatabaseShape, type Parameter, type Row, type StatementPlan } from "./database.ts"

/** One read: all of its statements together must end within its time. */
export interface UserRead {
  readonly query: (
    sql: string,
    parameters?: ReadonlyArray<Parameter>,
    plan?: StatementPlan,
  ) => Effect.Effect<ReadonlyArray<Row>, Unavailable | ApiError>
}

interface ReadsShape {
  /** Begins a read for somebody, by the name that `requesterName` gives them; a visitor has no account. */
  readonly begin: (reader: string, kind?: "visitor") => UserRead
}

export class UserReads extends Context.Service<UserReads, ReadsShape>()("parley/db/Reads") {
  static readonly layer = Layer.effect(
    UserReads,
    Effect.gen(function* () {
      const { limits } = yield* Config
      return makeReads(yield* Database, yield* Clock, yield* Refusals, limits.readSeconds)
    }),
  )
}

/** Statements of one user that may wait: more than their requests of a few seconds. */
const ownerWaiting = 100
const allWaiting = 2000
/** All visitors together stand in the line like one user, behind a line of their own: addresses cost nothing. */
const allVisitors = "visitors"
const visitorWaiting = 20
const allVisitorsWaiting = 500

export const makeReads = (
  database: Pick<DatabaseShape, "read" | "readsAtOnce">,
  clock: ClockShape,
  refusals: RefusalsShape,
  seconds: number,
  rest: RestAfterTurn = realRest,
): ReadsShape => {
  const turns = new FairTurns({
    capacity: database.readsAtOnce,
    // One is always left for somebody else.
    perOwner: Math.max(1, database.readsAtOnce - 1),
    ownerWaiting,
    allWaiting,
  })
  const visits = new FairTurns({
    capacity: 1,
    perOwner: 1,
    ownerWaiting: visitorWaiting,
    allWaiting: allVisitorsWaiting,
  })

  /**
   * Ends a turn. While others wait, a statement is followed by a rest as long as itself: reads then take half of what
   * they could of the processors, which commits and deliveries on the same machine need sooner.
   */
  const endTurn = (line: FairTurns, turn: TurnRequest, began: number): void => {
    const milliseconds = line === turns && turns.waiting > 0 ? performance.now() - began : 0
    rest(milliseconds, () => line.leave(turn))
  }

  const refusal = (reader: string, why: NoTurn): ApiError => {
    switch (why) {
      case "owner-full":
        refusals.note("reads of a user", reader)
        return rateLimited(1, "Too many of your requests wait to be read: wait before you send the next one")
      case "full":
        refusals.note("reads in all", reader)
        return serviceUnavailable(1)
      case "late":
        refusals.note("time of a read", reader)
        return readTooSlow(seconds)
    }
  }

  return {
    begin: (reader, kind) => {
      const end = clock.elapsed() + seconds * 1000

      const inTurn = <A, E>(
        line: FairTurns,
        owner: string,
        work: Effect.Effect<A, E>,
      ): Effect.Effect<A, E | ApiError> =>
        Effect.suspend(() => {
          const left = end - clock.elapsed()
          if (left <= 0) return Effect.fail(refusal(reader, "late"))
          return Effect.flatMap(
            Effect.mapError(awaitTurn(line, clock, { owner, cost: 1 }, left), (why) => refusal(reader, why)),
            (turn) => {
              const began = performance.now()
              return Effect.ensuring(
                work,
                Effect.sync(() => endTurn(line, turn, began)),
              )
            },
          )
        })

      return {
        query: (sql, parameters, plan) => {
          const work = Effect.suspend(() => database.read(sql, parameters, plan))
          return kind === "visitor"
            ? inTurn(visits, reader, inTurn(turns, allVisitors, work))
            : inTurn(turns, reader, work)
        },
      }
    },
  }
}
