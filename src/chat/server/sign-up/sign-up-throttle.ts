/**
 * How often organizations may be asked for from one network address: each asking sends a mail to somebody, and takes one of those
 * that all together may ask for in a day. Kept in memory: after a restart an address may ask again, and all together may not. Where
 * several processes serve the database each tells the others of what it has counted.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Checked, rateLimited } from "../../../api/errors.ts"
import { Clock } from "../../../clock.ts"
import { Config } from "../../../config/config.ts"
import { noNotes } from "../../../events/peers/notes.ts"
import { makeRateCounter } from "../../../fairness/rate-counter.ts"
import { Refusals } from "../../../fairness/refusals.ts"
import { Realms } from "../../ground/realm/realms.ts"

const hourMs = 3600_000
const inAnHour = 10
/** One address may use so much of what all may ask for in a day, so that it leaves something to others. */
const share = 1 / 4
/** Beyond these, addresses share one count. */
const mostKeys = 50_000

/** How processes tell each other of what they have counted: in which counter, of which address. */
const subject = "sign-ups"
const longestAddress = 64
const Address = Schema.String.check(Schema.isMaxLength(longestAddress))
const readTold = Schema.decodeUnknownOption(Schema.Tuple([Schema.Literals(["askings", "mails"]), Address]))

/** Of `inAll` mails in a day. */
export const mailsPerAddress = (inAll: number): number => Math.max(1, Math.floor(inAll * share))

interface SignUpThrottleShape {
  /** Counts one asking; fails with 429 where there were too many within the hour. */
  readonly count: (address: string) => Checked<void>
  /** Counts one that is mailed; fails with 429 where the address has had its share of the day. */
  readonly countMail: (address: string) => Checked<void>
}

export class SignUpThrottle extends Context.Service<SignUpThrottle, SignUpThrottleShape>()(
  "parley/chat/SignUpThrottle",
) {
  static readonly layer = Layer.effect(
    SignUpThrottle,
    Effect.gen(function* () {
      const { rateLimit, limits, processes } = yield* Config
      const refusals = yield* Refusals
      const clock = yield* Clock
      const counters = {
        askings: makeRateCounter<string>(clock, { windowMs: hourMs, limit: inAnHour, mostKeys }),
        mails: makeRateCounter<string>(clock, {
          windowMs: 24 * hourMs,
          limit: mailsPerAddress(limits.organizationsPerDay),
          mostKeys,
        }),
      }
      const notes = processes?.sharesLimits === true ? (yield* Realms).everywhere : noNotes
      notes.hear(subject, (body) => {
        const told = Option.getOrNull(readTold(body))
        if (told !== null) counters[told[0]].add(told[1], 1)
      })
      const countIn =
        (name: keyof typeof counters) =>
        (address: string): Checked<void> => {
          if (!rateLimit) return Result.succeed(undefined)
          const wait = counters[name].count(address).waitSeconds
          if (wait === null) {
            notes.tell(subject, [name, address])
            return Result.succeed(undefined)
          }
          refusals.note("organizations asked for", address)
          return Result.fail(rateLimited(wait, "Too many organizations were asked for from here: try again later"))
        }
      return SignUpThrottle.of({ count: countIn("askings"), countMail: countIn("mails") })
    }),
  )
}
