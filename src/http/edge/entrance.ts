/** What the ways into the server have in common: the API (api.ts), WebSockets (socket.ts) and downloads (downloads.ts). */
import type { ClockShape } from "../../clock.ts"
import type { ConfigShape } from "../../config/config.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"
import type { Origins } from "../cors.ts"
import type { InFlight } from "../in-flight.ts"
import type { RateLimit } from "../rate-limit.ts"
import type { Runner } from "../runner.ts"
import type { Directory } from "./directory.ts"
import type { Strangers } from "./strangers.ts"

export interface Entrance<R> {
  readonly config: ConfigShape
  readonly clock: ClockShape
  readonly directory: Directory
  readonly origins: Origins
  readonly runner: Runner<R>
  readonly inFlight: InFlight
  readonly isDraining: () => boolean
  readonly rateLimit: RateLimit
  readonly strangers: Strangers
  readonly refusals: RefusalsShape
}
