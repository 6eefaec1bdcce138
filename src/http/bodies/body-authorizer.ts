/**
 * Finds out, before a body is kept, who sends it and whether they may: a key is checked before the body is read, and
 * once more when it is whole, because keys can be revoked meanwhile. Made by api.ts for bodies.ts.
 */
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type Route, requesterName } from "../../api/endpoint.ts"
import { type ApiError, type Checked, internalError, notSignedIn, serviceUnavailable } from "../../api/errors.ts"
import type { Limits } from "../../config/config.ts"
import { onlyFailure } from "../answer/reply.ts"
import type { About, Runner } from "../entrance/runner.ts"
import type { Account, Accounts } from "../senders/accounts.ts"
import { findAccount, knownAccount, type Signature } from "../senders/find-account.ts"
import { type RateLimit, refusalOf } from "../senders/rate-limit.ts"
import { type Allowance, smallBody } from "./bodies.ts"
import { imageBody } from "./body-budget.ts"

export interface Question<R> extends Signature {
  readonly address: string
  /** All that the request may turn out to ask for: a POST may name another method in its form. */
  readonly routes: ReadonlyArray<Route<R>>
  /** How the log names the request. */
  readonly about: () => About
  /** Counts the request on its address for a key that is not valid. */
  readonly countStranger: (error: ApiError) => ApiError
}

export type BodyJudge<R> = (question: Question<R>, decide: (found: Allowance | ApiError) => void) => void

export const makeBodyJudge = <R>(
  accounts: Pick<Accounts, "known" | "knownBot" | "authenticate" | "ofBotKey">,
  rateLimit: RateLimit,
  runner: Runner<R>,
  limits: Limits,
): BodyJudge<R> => {
  const ofStranger = ({ address, routes }: Question<R>, error: () => ApiError): Allowance | ApiError =>
    routes.some(({ access }) => access !== "user")
      ? { who: address, isAccount: false, limit: smallBody(limits) }
      : error()

  const ofAccount = ({ routes }: Question<R>, account: Account): Allowance | ApiError => {
    const kinds = routes.map(({ limit }) => limit)
    if (rateLimit.isUsedUp(account, kinds)) {
      const refusal = refusalOf(rateLimit.ofUser(account, kinds[0]))
      if (refusal !== undefined) return refusal
    }
    const limit = routes.some(({ takesImage }) => takesImage) ? imageBody(limits) : limits.maxRequestBytes
    return { who: requesterName(account), isAccount: true, limit }
  }

  return (question, decide) => {
    const { authorization, botKey } = question
    if (authorization === "" && botKey === undefined) return decide(ofStranger(question, notSignedIn))
    const conclude = (found: Checked<Account>): void =>
      decide(
        Result.isSuccess(found)
          ? ofAccount(question, found.success)
          : ofStranger(question, () => question.countStranger(found.failure)),
      )
    const known = knownAccount(accounts, question)
    if (known !== undefined) return conclude(known)
    runner.run(findAccount(accounts, question), (exit) => {
      if (Exit.isSuccess(exit)) return conclude(Result.succeed(exit.value))
      const failure = onlyFailure(exit.cause)
      if (failure === undefined) return decide(internalError(runner.defect(exit.cause, question.about())))
      if (failure._tag === "ApiError") conclude(Result.fail(failure))
      else decide(serviceUnavailable(1))
    })
  }
}
