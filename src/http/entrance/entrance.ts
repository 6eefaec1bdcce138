/** Parts that all ways into the server share: the API (api.ts), WebSockets (socket.ts) and downloads (downloads.ts). */
import type { ClockShape } from "../../clock.ts"
import type { ConfigShape } from "../../config/config.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { Origins } from "../answer/cors.ts"
import type { Accounts } from "../senders/accounts.ts"
import type { RateLimit } from "../senders/rate-limit.ts"
import type { Strangers } from "../senders/strangers.ts"
import type { InFlight } from "./in-flight.ts"
import type { Runner } from "./runner.ts"

export interface Entrance<R> {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly accounts: Accounts
  readonly origins: Origins
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly isDraining: () => boolean
  readonly rateLimit: RateLimit
  readonly strangers: Strangers
  readonly refusals: RefusalsShape
}
