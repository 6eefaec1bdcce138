import { defineFeature } from "../../feature.ts"
import { getMessage, getMessages } from "./fetch-messages.ts"
import { getMatchesNarrow } from "./matches-narrow.ts"
import { getTopics } from "./topics.ts"

export const historyFeature = defineFeature({
  area: "reading",
  name: "history",
  about:
    "reading messages: pages, narrows, topics; `walk`: a search, its conditions and the walk over its sources; `message-access`: who may read a message, for what is done with one",
  chapter: "messages",
  endpoints: [getMatchesNarrow, getMessages, getMessage, getTopics],
})
