/** What the outbox does with a row of a scheduled message or reminder, and what is forgotten of those that were sent. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Clock } from "../../../clock.ts"
import { Database } from "../../../db/database.ts"
import { ClockWatch } from "../../../jobs/clock-watch.ts"
import { periodicOnce } from "../../../jobs/job.ts"
import { outboxKind } from "../../../jobs/outbox/outbox-kind.ts"
import { deliverMessage } from "./deliver-message.ts"
import { deliverReminder } from "./deliver-reminder.ts"
import { scheduledItemKinds } from "./scheduled-lists.ts"
import { forgetSent } from "./scheduled-store.ts"

/** Its rows are added by scheduled.sql, one lane for each author: theirs are sent in the order of their times. */
export const scheduledKind = outboxKind({
  name: "scheduled",
  payload: Schema.Struct({ noun: Schema.Literals(scheduledItemKinds), user: Schema.Number, id: Schema.Number }),
  run: (entry) => (entry.payload.noun === "reminder" ? deliverReminder(entry) : deliverMessage(entry)),
  endsItself: true,
  concurrency: 16,
  // What a killed server had begun is begun again after twice this.
  patienceMilliseconds: 5000,
  // Never given up by the outbox: the last attempt says that it failed (delivery.ts).
  mostAttempts: Number.MAX_SAFE_INTEGER,
  backOff: { firstMilliseconds: 1000, longestMilliseconds: 60_000 },
})

export const forgetSentJob = periodicOnce({
  name: "scheduled messages that were sent",
  everyMilliseconds: 3600_000,
  run: Effect.gen(function* () {
    if (!(yield* ClockWatch).isTrusted()) return
    const now = (yield* Clock).now()
    const database = yield* Database
    while ((yield* forgetSent(database, now)) > 0);
  }),
})
