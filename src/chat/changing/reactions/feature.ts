import { room } from "../../room.ts"
import { reactionKind } from "./reaction-event.ts"
import { reactionEndpoints } from "./reactions.ts"

export const reactionsRoom = room({
  wing: "changing",
  name: "reactions",
  about: "emoji under messages",
  endpoints: reactionEndpoints,
  kinds: [reactionKind],
})
