import { defineFeature } from "../../feature.ts"
import { reportMessage } from "./report-message.ts"

export const messageReportsFeature = defineFeature({
  area: "changing",
  name: "message-reports",
  about:
    "messages reported to the moderators: a copy in their channel, by Notification Bot, which links the files, too",
  chapter: "messages",
  endpoints: [reportMessage],
})
