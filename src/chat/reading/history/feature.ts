import { room } from "../../room.ts"
import { getMessage, getMessages } from "./fetch.ts"
import { getMatchesNarrow } from "./matches-narrow.ts"
import { getTopics } from "./topics.ts"

export const historyRoom = room({
  wing: "reading",
  name: "history",
  about:
    "reading messages: pages, narrows, topics; `walk`: a search, its conditions and the walk over its sources; `message-access`: who may read a message, for what is done with one",
  endpoints: [getMatchesNarrow, getMessages, getMessage, getTopics],
})
