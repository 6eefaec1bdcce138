/** What the log says of a mail server that takes no mails. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import t from "tap"
import { MailLog } from "../../../../src/chat/sending/mail/mail-log.ts"
import { Clock } from "../../../../src/clock.ts"
import { manualClock } from "../../../kit/manual-clock.ts"

t.test("a mail server that takes nothing is named at once, and then once in a minute", async (t) => {
  const clock = manualClock()
  const lines: Array<string> = []
  const log = Logger.make(({ message }) => void lines.push(String(Array.isArray(message) ? message[0] : message)))
  const said = () => lines.splice(0)
  await Effect.runPromise(
    Effect.gen(function* () {
      const { failed, worked } = yield* MailLog
      yield* worked
      t.strictSame(said(), [])
      yield* failed("535 wrong password")
      t.strictSame(said(), ["mails are not sent and tried again for a day: 535 wrong password"])
      for (let n = 0; n < 100; n++) yield* failed("535 wrong password")
      clock.advance(59_999)
      yield* failed("535 wrong password")
      t.strictSame(said(), [])
      clock.advance(1)
      yield* failed("ECONNREFUSED")
      t.strictSame(said(), ["mails are still not sent (102 tries since the last line): ECONNREFUSED"])
      yield* worked
      yield* worked
      t.strictSame(said(), ["mails are sent again"])
      yield* failed("ECONNREFUSED")
      t.strictSame(said(), ["mails are not sent and tried again for a day: ECONNREFUSED"])
    }).pipe(
      Effect.provide(Layer.provide(MailLog.layer, Layer.succeed(Clock, clock))),
      Effect.provide(Logger.layer([log])),
    ),
  )
})
