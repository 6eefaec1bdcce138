import { defineFeature } from "../../feature.ts"
import { reminderEndpoints } from "./reminders.ts"
import { forgetSentJob, scheduledKind } from "./scheduled-kind.ts"
import { reminders, scheduledMessages } from "./scheduled-lists.ts"
import { scheduledMessageEndpoints } from "./scheduled-messages.ts"

export const scheduledFeature = defineFeature({
  area: "personal",
  name: "scheduled",
  about:
    "messages that are sent later, and reminders: `scheduled-machine` decides what becomes of one, `delivery` sends what the outbox finds due",
  chapter: "scheduled-messages",
  endpoints: [...scheduledMessageEndpoints, ...reminderEndpoints],
  kinds: [scheduledMessages.kind, reminders.kind],
  sections: [scheduledMessages.section, reminders.section],
  jobs: [scheduledKind.job, forgetSentJob],
})
