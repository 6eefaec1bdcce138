import * as Layer from "effect/Layer"
import { defineFeature } from "../../feature.ts"
import { EditTyping, editTypingEndpoints } from "./edit-typing.ts"
import { editTypingKind } from "./edit-typing-event.ts"
import { postTyping, Typing } from "./typing.ts"
import { typingKind } from "./typing-event.ts"

export const typingFeature = defineFeature({
  area: "changing",
  name: "typing",
  about: "typing indicators, in a conversation, a topic or an edit",
  chapter: "typing",
  endpoints: [postTyping, ...editTypingEndpoints],
  kinds: [typingKind, editTypingKind],
  layer: Layer.mergeAll(Typing.layer, EditTyping.layer),
})
