import { defineFeature } from "../../feature.ts"
import { reactionKind } from "./reaction-event.ts"
import { reactionEndpoints } from "./reactions.ts"

export const reactionsFeature = defineFeature({
  area: "changing",
  name: "reactions",
  about: "emoji under messages",
  chapter: "messages",
  endpoints: reactionEndpoints,
  kinds: [reactionKind],
})
