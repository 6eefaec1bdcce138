import { room } from "../../room.ts"
import { submessageKind } from "./submessage-event.ts"
import { postSubmessage } from "./submessages.ts"

export const submessagesRoom = room({
  wing: "changing",
  name: "submessages",
  about: "polls and to-do lists in messages",
  endpoints: [postSubmessage],
  kinds: [submessageKind],
})
