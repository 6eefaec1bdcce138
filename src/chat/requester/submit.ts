/**
 * How an endpoint changes something: a judgement by the realm and the requester as they are when its batch is formed, and,
 * where the change is made from a record that only the database holds, with that record.
 */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import type { Caller } from "../../endpoint.ts"
import { type Failure, Unavailable } from "../../errors.ts"
import { type Judgement, judged } from "../../events/command.ts"
import type { UserId } from "../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "./actor.ts"

/** Answers when the change is visible in this process: whoever asked reads what they wrote. */
export const submitAs = Effect.fnUntraced(function* <A>(
  caller: Caller,
  judge: (realm: Realm, actor: UserRecord) => Judgement<A>,
): Effect.fn.Return<A, Failure, Realms> {
  const realms = yield* Realms
  return yield* realms.submit(caller.realm, {
    judge: (realm) => judged(requireActor(realm, caller), (actor) => judge(realm, actor)),
  })
})

/** What a judgement answers where its table function says that the record was changed after it had been read. */
export const overtaken = Symbol("overtaken")

/** Being overtaken so often in a row means that something is wrong. */
const mostRounds = 10

interface Turn {
  readonly semaphore: Semaphore.Semaphore
  /** How many have it or wait for it. */
  users: number
}
const turns = new WeakMap<Realm, Map<UserId, Turn>>()

/** One change of a user's records at a time: a hundred at once would overtake each other a hundred times. */
const inTurn = <A, E, R>(realm: Realm, user: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const ofRealm = turns.get(realm) ?? new Map<UserId, Turn>()
    turns.set(realm, ofRealm)
    const turn = ofRealm.get(user) ?? { semaphore: Semaphore.makeUnsafe(1), users: 0 }
    ofRealm.set(user, turn)
    turn.users++
    return Effect.ensuring(
      turn.semaphore.withPermits(1)(work),
      Effect.sync(() => {
        turn.users--
        if (turn.users === 0) ofRealm.delete(user)
      }),
    )
  })

/** The same with a record, read before each try. A judgement that comes to `overtaken` is tried again with a new one. */
export const submitWithRecord = Effect.fnUntraced(function* <R, A, E, S>(
  caller: Caller,
  read: Effect.Effect<R, E, S>,
  judge: (record: R, realm: Realm, actor: UserRecord) => Judgement<A | typeof overtaken>,
) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const tries = Effect.gen(function* () {
    for (let round = 0; round < mostRounds; round++) {
      const record = yield* read
      const answer = yield* submitAs(caller, (now, actor) => judge(record, now, actor))
      if (answer !== overtaken) return answer
    }
    return yield* new Unavailable({ reason: "the record is changed too often" })
  })
  return yield* inTurn(realm, caller.user, tries)
})
