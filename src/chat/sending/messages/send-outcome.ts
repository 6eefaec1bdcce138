/** The outcome of a send: answer or refusal; for the commit that made it and for a retry that finds it there. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { badRequest } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { type DoneJudgement, type RefusedJudgement, readRefusal, refused } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import { topicPolicy } from "../../ground/kinds/user-topic-row.ts"
import { findSend } from "./earlier-sends-store.ts"

/** The key by which a retry is recognised, and what it must be a retry of. */
export interface SendEcho {
  readonly queueId: string
  readonly localId: string
  readonly digest: string
}

export interface SendResult {
  readonly id: number
  /** The policy that the topic got for the sender by their settings; null: it stayed as it was. */
  readonly policy: (typeof automaticPolicies)[number] | null
}

/** The policies that a topic gets by a send. */
export const automaticPolicies = [topicPolicy.unmuted, topicPolicy.followed] as const

const sent = (id: number, policy: number | null): DoneJudgement<SendResult> => ({
  _tag: "Done",
  answer: { id, policy: automaticPolicies.find((each) => each === policy) ?? null },
})

const conflict = refused(badRequest("This local_id was used for another message from this queue"))

/** What the guard `may_begin_v1` refuses, too. */
export const mayNotBegin = badRequest("You do not have permission to initiate direct message conversations.")

const refusals = { conflict, begin: refused(mayNotBegin) }

export const readOutcome = (outcome: Json): DoneJudgement<SendResult> | RefusedJudgement => {
  const refusal = readRefusal<RefusedJudgement>(outcome, refusals)
  if (refusal !== undefined) return refusal
  const { id, policy = null } = Predicate.isObject(outcome) ? outcome : {}
  if (!Predicate.isNumber(id)) throw new Error(`a send ended in ${JSON.stringify(outcome)}`)
  return sent(id, Predicate.isNumber(policy) ? policy : null)
}

/** The outcome of steps of which the last is a send. The guard refuses a retry, of which the first outcome is looked up then. */
export const readMeeting = (outcome: Json): DoneJudgement<SendResult> | RefusedJudgement => {
  const refusal = readRefusal<RefusedJudgement>(outcome, { ...refusals, retry: conflict })
  if (refusal !== undefined) return refusal
  const outcomes = Predicate.isObject(outcome) ? outcome["outcomes"] : undefined
  return readOutcome(Array.isArray(outcomes) ? (outcomes[0] ?? null) : null)
}

/** The answer that an earlier attempt of this send was given; null where there was none. */
export const recall = (database: DatabaseShape, realm: RealmId, sender: UserId, echo: SendEcho) =>
  Effect.map(
    findSend(database, realm, sender, echo.queueId, echo.localId),
    (known): DoneJudgement<SendResult> | RefusedJudgement | null =>
      known === null ? null : known.digest === echo.digest ? sent(known.messageId, known.policy) : conflict,
  )
