import { defineFeature } from "../../feature.ts"
import { submessageKind } from "./submessage-event.ts"
import { postSubmessage } from "./submessages.ts"

export const submessagesFeature = defineFeature({
  area: "changing",
  name: "submessages",
  about: "polls and to-do lists in messages",
  chapter: "messages",
  endpoints: [postSubmessage],
  kinds: [submessageKind],
})
