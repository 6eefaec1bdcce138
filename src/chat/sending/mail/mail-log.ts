/**
 * What the log says of a mail server that takes no mails: at once, once in a minute while it goes on, and when it is over. So an
 * operator hears of a wrong password with the first mail, and not when that is given up a day later. Used by mail.ts.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Clock } from "../../../clock.ts"

const quietMilliseconds = 60_000

interface MailTrouble {
  readonly loggedAt: number
  /** Failures since then. */
  readonly unsaid: number
}

const make = Effect.gen(function* () {
  const clock = yield* Clock
  let trouble: MailTrouble | null = null
  return MailLog.of({
    failed: (reason) =>
      Effect.suspend(() => {
        const now = clock.elapsed()
        if (trouble !== null && now - trouble.loggedAt < quietMilliseconds) {
          trouble = { ...trouble, unsaid: trouble.unsaid + 1 }
          return Effect.void
        }
        const begins = trouble === null
        const tries = 1 + (trouble?.unsaid ?? 0)
        trouble = { loggedAt: now, unsaid: 0 }
        return Effect.logWarning(
          begins
            ? `mails are not sent and tried again for a day: ${reason}`
            : `mails are still not sent (${tries} tries since the last line): ${reason}`,
        )
      }),
    worked: Effect.suspend(() => {
      if (trouble === null) return Effect.void
      trouble = null
      return Effect.logWarning("mails are sent again")
    }),
  })
})

export class MailLog extends Context.Service<
  MailLog,
  {
    /** An attempt has failed, and not for what the mail is or whom it is to. */
    readonly failed: (reason: string) => Effect.Effect<void>
    readonly worked: Effect.Effect<void>
  }
>()("parley/chat/MailLog") {
  static readonly layer = Layer.effect(MailLog, make)
}
