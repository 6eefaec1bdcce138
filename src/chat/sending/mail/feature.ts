import { defineFeature } from "../../feature.ts"
import { mailJob } from "./mail.ts"
import { MailLog } from "./mail-log.ts"
import { outboxPage, outboxPath } from "./outbox-page.ts"

export const mailFeature = defineFeature({
  area: "sending",
  name: "mail",
  about:
    "mails to people, by SMTP or, in development mode, onto a page: `addMail` is a step of a command, `mailParts` makes text and HTML",
  jobs: [mailJob],
  layer: MailLog.layer,
  livePages: { [outboxPath]: outboxPage },
})
