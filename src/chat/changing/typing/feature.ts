import * as Layer from "effect/Layer"
import { room } from "../../room.ts"
import { EditTyping, editTypingEndpoints } from "./edit-typing.ts"
import { editTypingKind } from "./edit-typing-event.ts"
import { postTyping, Typing } from "./typing.ts"
import { typingKind } from "./typing-event.ts"

export const typingRoom = room({
  wing: "changing",
  name: "typing",
  about: "typing indicators, in a conversation, a topic or an edit",
  endpoints: [postTyping, ...editTypingEndpoints],
  kinds: [typingKind, editTypingKind],
  layer: Layer.mergeAll(Typing.layer, EditTyping.layer),
})
