import { defineFeature } from "../../feature.ts"
import { deleteMessageKind } from "./delete-message-event.ts"
import { movingMessages } from "./move-steps.ts"
import { updateMessageKind } from "./update-message-event.ts"

export const messageMovesFeature = defineFeature({
  area: "changing",
  name: "message-moves",
  about:
    "messages that get another topic or channel: `move-rules` says who may, `move-steps` what is moved in which commit, `moving.sql` does it; the events of changed and deleted messages",
  kinds: [updateMessageKind, deleteMessageKind],
  bulk: [movingMessages],
})
