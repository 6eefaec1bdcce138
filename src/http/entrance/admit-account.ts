/**
 * Checks a request whose key is valid, whichever way it came: it is counted, and webhook bots may only post. Used by
 * handle-request.ts, socket-endpoint.ts and serve-downloads.ts.
 */
import * as Result from "effect/Result"
import type { Caller, LimitClass } from "../../api/endpoint.ts"
import { type ApiError, webhookBotRefused } from "../../api/errors.ts"
import type { RateVerdict } from "../../fairness/rate-counter.ts"
import type { WireResponse } from "../network/uws-response.ts"
import type { WireRequest } from "../network/wire-request.ts"
import { clientName, originOf } from "../request/request-headers.ts"
import type { FoundAccount } from "../senders/account-lookup.ts"
import { isStubborn, refusalOf } from "../senders/rate-limit.ts"
import type { EntranceServices } from "./entrance.ts"

interface AdmissionRequest {
  readonly request: Pick<WireRequest, "userAgent">
  /** As `readHost` answers it. */
  readonly host: string
  /** null: the request is a socket's frame. */
  readonly response: Pick<WireResponse, "closeAfterwards"> | null
}

/** The facts of a route that are looked at; it states them of itself. */
interface RouteLimits {
  readonly limit?: LimitClass
  readonly forWebhookBots?: true
}

export interface AccountAdmission {
  /** The rate limit's verdict. */
  readonly verdict: RateVerdict | undefined
  readonly caller: Result.Result<Caller, ApiError>
}

export const admitAccount = (
  entrance: Pick<EntranceServices<never>, "config" | "accounts" | "rateLimit">,
  account: FoundAccount,
  { request, host, response }: AdmissionRequest,
  { limit, forWebhookBots }: RouteLimits,
): AccountAdmission => {
  const verdict = entrance.rateLimit.ofUser(account, limit)
  if (isStubborn(verdict)) response?.closeAfterwards()
  const refusal = refusalOf(verdict)
  if (refusal !== undefined) return { verdict, caller: Result.fail(refusal) }
  if (account.isWebhookBot && forWebhookBots === undefined) return { verdict, caller: Result.fail(webhookBotRefused()) }
  const { realm, user, keyVersion } = account
  const client = clientName(request.userAgent)
  return { verdict, caller: Result.succeed({ realm, user, keyVersion, client, origin: originOf(entrance, host) }) }
}
