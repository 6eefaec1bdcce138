import { defineFeature } from "../../feature.ts"
import { alertWords } from "./alert-word-index.ts"
import { messageKind } from "./message-event.ts"
import { messageSection, recentConversationsSection } from "./message-sections.ts"
import { mutedUsers } from "./muted-user-index.ts"
import { postRender } from "./render-preview.ts"
import { postMessages } from "./send-message.ts"

export const messagesFeature = defineFeature({
  area: "sending",
  name: "messages",
  about: "sending: destinations, mentions and whom a message marks, widgets; how a message looks on the wire",
  chapter: "messages",
  endpoints: [postMessages, postRender],
  kinds: [messageKind],
  sections: [messageSection, recentConversationsSection],
  projectionParts: [alertWords, mutedUsers],
})
