/** Parts that all ways into the server share: the API (api.ts), WebSockets (socket-endpoint.ts) and downloads (serve-downloads.ts). */
import type { ClockShape } from "../../clock.ts"
import type { ConfigShape } from "../../config/config.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { AllowedOrigins } from "../answer/cors.ts"
import type { AccountLookup } from "../senders/account-lookup.ts"
import type { AnonymousRequests } from "../senders/anonymous-requests.ts"
import type { RateLimit } from "../senders/rate-limit.ts"
import type { EffectRunner } from "./effect-runner.ts"
import type { InFlight } from "./in-flight.ts"

export interface EntranceServices<R> {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly accounts: AccountLookup
  readonly origins: AllowedOrigins
  readonly runner: EffectRunner<R>
  readonly inFlight: InFlight
  /** Whether requests are refused, because this server ends. */
  readonly isDraining: () => boolean
  readonly rateLimit: RateLimit
  readonly strangers: AnonymousRequests
  readonly refusals: RefusalsShape
}
