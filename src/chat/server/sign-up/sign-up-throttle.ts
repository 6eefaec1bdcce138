/** How often organizations may be asked for from one network address: each asking sends a mail to somebody. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Checked, rateLimited } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { makeRateCounter } from "../../../fairness/rate-counter.ts"
import { Refusals } from "../../../fairness/refusals.ts"

const windowMs = 3600_000
const limit = 10
/** Beyond these, addresses share one count. */
const mostKeys = 50_000

interface Shape {
  /** Counts one asking; fails with 429 where there were too many within the hour. */
  readonly count: (address: string) => Checked<void>
}

export class SignUpThrottle extends Context.Service<SignUpThrottle, Shape>()("parley/chat/SignUpThrottle") {
  static readonly layer = Layer.effect(
    SignUpThrottle,
    Effect.gen(function* () {
      const { rateLimit } = yield* Config
      const refusals = yield* Refusals
      const counter = makeRateCounter<string>(yield* Clock, { windowMs, limit, mostKeys })
      return SignUpThrottle.of({
        count: (address) => {
          const wait = rateLimit ? counter.count(address).waitSeconds : null
          if (wait === null) return Result.succeed(undefined)
          refusals.note("organizations asked for", address)
          return Result.fail(rateLimited(wait, "Too many organizations were asked for from here: try again later"))
        },
      })
    }),
  )
}
