/**
 * Finds out, before a body is kept, who sends it and whether they may: a key is checked before the body is read, and
 * once more when it is whole, because keys can be revoked meanwhile. Made by api.ts for bodies.ts.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { type Route, requesterName } from "../../api/endpoint.ts"
import { type ApiError, type Checked, internalError, notSignedIn, serviceUnavailable } from "../../api/errors.ts"
import type { Limits } from "../../config/config.ts"
import { onlyFailure } from "../answer/reply.ts"
import type { About, Runner } from "../entrance/runner.ts"
import { readBasic } from "../request/basic-auth.ts"
import type { Account, Accounts } from "../senders/accounts.ts"
import { type RateLimit, refusalOf } from "../senders/rate-limit.ts"
import { type Allowance, smallBody } from "./bodies.ts"
import { imageBody } from "./body-budget.ts"

export interface Question<R> {
  /** Without the port. */
  readonly host: string
  readonly authorization: string
  /** The key in the address, where that is how the route's requests are signed; undefined where it is not. */
  readonly botKey: string | undefined
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
  accounts: Pick<Accounts, "known" | "authenticate" | "ofBotKey">,
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
    const { host, authorization, botKey } = question
    if (authorization === "" && botKey === undefined) return decide(ofStranger(question, notSignedIn))
    const conclude = (found: Checked<Account>): void =>
      decide(
        Result.isSuccess(found)
          ? ofAccount(question, found.success)
          : ofStranger(question, () => question.countStranger(found.failure)),
      )
    const known = botKey === undefined ? accounts.known(host, authorization) : undefined
    if (known !== undefined) return conclude(known)
    const found =
      botKey === undefined
        ? Effect.flatMap(Effect.fromResult(readBasic(authorization)), ({ email, key }) =>
            accounts.authenticate(host, email, key),
          )
        : accounts.ofBotKey(host, botKey)
    runner.run(found, (exit) => {
      if (Exit.isSuccess(exit)) return conclude(Result.succeed(exit.value))
      const failure = onlyFailure(exit.cause)
      if (failure === undefined) return decide(internalError(runner.defect(exit.cause, question.about())))
      if (failure._tag === "ApiError") conclude(Result.fail(failure))
      else decide(serviceUnavailable(1))
    })
  }
}
