/**
 * How an endpoint submits a command: its judgement gets the realm and the requester as they are when the batch is
 * formed, and, if the change depends on a record that only the database holds, that record.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import { type RequestFailure, Unavailable } from "../../../api/errors.ts"
import { type Conflict, retryOnConflict } from "../../../conflict.ts"
import { type Judgement, judgementOf } from "../../../events/command.ts"
import { UserLocks } from "../../../events/queues/user-locks.ts"
import type { UserId } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { requireActor } from "./actor.ts"

/**
 * Submits a command of the requester. Answers when the projection has it, so that the requester reads what they wrote.
 */
export const submitAs = Effect.fnUntraced(function* <A>(
  caller: Caller,
  judge: (realm: Realm, actor: UserRecord) => Judgement<A>,
): Effect.fn.Return<A, RequestFailure, Realms> {
  const realms = yield* Realms
  return yield* realms.submit(caller.realm, {
    judge: (realm) => judgementOf(requireActor(realm, caller), (actor) => judge(realm, actor)),
  })
})

/** A command that is overtaken this often in a row fails: something must be wrong. */
const mostRounds = 10

const locks = new WeakMap<Realm, UserLocks>()

/** Runs one change of a user's records at a time: a hundred at once would overtake each other again and again. */
const oneAtATime = <A, E, R>(realm: Realm, user: UserId, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const ofRealm = locks.get(realm) ?? new UserLocks()
  locks.set(realm, ofRealm)
  return ofRealm.run(user, work)
}

/**
 * As submitAs, with a record that is read first. If the answer is `conflict`, because the table function refused what was made
 * from an older record, reads it again and tries again.
 */
export const submitWithRecord = Effect.fnUntraced(function* <R, A, E, S>(
  caller: Caller,
  read: Effect.Effect<R, E, S>,
  judge: (record: R, realm: Realm, actor: UserRecord) => Judgement<A | Conflict>,
) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const attempt = Effect.flatMap(read, (record) => submitAs(caller, (now, actor) => judge(record, now, actor)))
  const giveUp = Effect.fail(new Unavailable({ reason: "the record is changed too often" }))
  return yield* oneAtATime(realm, caller.user, retryOnConflict(mostRounds, attempt, giveUp))
})
