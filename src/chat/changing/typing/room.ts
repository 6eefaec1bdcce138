import { room } from "../../room.ts"
import { editTypingEndpoints } from "./edit-typing.ts"
import { editTypingKind } from "./edit-typing-event.ts"
import { postTyping } from "./typing.ts"
import { typingKind } from "./typing-event.ts"

export const typingRoom = room({
  wing: "changing",
  name: "typing",
  about: "typing indicators, in a conversation, a topic or an edit",
  endpoints: [postTyping, ...editTypingEndpoints],
  kinds: [typingKind, editTypingKind],
})
