/**
 * Finds out, before a body is kept, who sends it and whether they may: a key is checked before the body is read, and
 * once more when it is whole, because keys can be revoked meanwhile. Made by api.ts for request-bodies.ts.
 */
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type Route, requesterName } from "../../api/endpoint.ts"
import { type ApiError, type Checked, internalError, notSignedIn, serviceUnavailable } from "../../api/errors.ts"
import type { Limits } from "../../config/config.ts"
import { onlyFailure } from "../answer/make-answers.ts"
import type { EffectRunner, FailureContext } from "../entrance/effect-runner.ts"
import type { AccountLookup, FoundAccount } from "../senders/account-lookup.ts"
import { findAccount, knownAccount, type RequestSignature } from "../senders/find-account.ts"
import { type RateLimit, refusalOf } from "../senders/rate-limit.ts"
import { imageBody } from "./body-budget.ts"
import { type BodyAllowance, smallBody } from "./request-bodies.ts"

export interface BodyQuestion<R> extends RequestSignature {
  readonly address: string
  /** All that the request may turn out to ask for: a POST may name another method in its form. */
  readonly routes: ReadonlyArray<Route<R>>
  /** How the log names the request. */
  readonly about: () => FailureContext
  /** Counts the request on its address for a key that is not valid. */
  readonly countStranger: (error: ApiError) => ApiError
}

export type BodyAuthorizer<R> = (question: BodyQuestion<R>, decide: (found: BodyAllowance | ApiError) => void) => void

export const makeBodyAuthorizer = <R>(
  accounts: Pick<AccountLookup, "known" | "knownBot" | "authenticate" | "ofBotKey">,
  rateLimit: RateLimit,
  runner: EffectRunner<R>,
  limits: Limits,
): BodyAuthorizer<R> => {
  const ofStranger = ({ address, routes }: BodyQuestion<R>, error: () => ApiError): BodyAllowance | ApiError =>
    routes.some(({ access }) => access !== "user")
      ? { who: address, isAccount: false, limit: smallBody(limits) }
      : error()

  const ofAccount = ({ routes }: BodyQuestion<R>, account: FoundAccount): BodyAllowance | ApiError => {
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
    const conclude = (found: Checked<FoundAccount>): void =>
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
