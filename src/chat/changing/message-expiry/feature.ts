import { defineFeature } from "../../feature.ts"
import { expiryJob } from "./expiry.ts"

export const messageExpiryFeature = defineFeature({
  area: "changing",
  name: "message-expiry",
  about:
    "deletion of messages that are older than their channel or organization keeps them (`message_retention_days`), a day after that was said, and of the files that nothing links after it",
  jobs: [expiryJob],
})
