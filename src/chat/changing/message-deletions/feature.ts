import { defineFeature } from "../../feature.ts"
import { deleteMessage } from "./delete-message.ts"
import { deleteTopic } from "./delete-topic.ts"
import { deletingTopic } from "./topic-deletion-steps.ts"

export const messageDeletionsFeature = defineFeature({
  area: "changing",
  name: "message-deletions",
  about:
    "deletion, which takes the content from every row of the log and from memory; of a whole topic in parts, the newest messages first. Their words leave the index a moment later",
  chapter: "messages",
  endpoints: [deleteMessage, deleteTopic],
  bulk: [deletingTopic],
})
