import { room } from "../../room.ts"
import { alertWords } from "./alert-words.ts"
import { messageKind } from "./message-event.ts"
import { messageSection, recentConversationsSection } from "./message-sections.ts"
import { mutedUsers } from "./muted-users.ts"
import { postRender } from "./render.ts"
import { postMessages } from "./send.ts"

export const messagesRoom = room({
  wing: "sending",
  name: "messages",
  about: "sending: destinations, mentions and whom a message marks, widgets; how a message looks on the wire",
  endpoints: [postMessages, postRender],
  kinds: [messageKind],
  sections: [messageSection, recentConversationsSection],
  parts: [alertWords, mutedUsers],
})
