import { room } from "../../room.ts"
import { postExternal } from "./external.ts"

export const webhooksRoom = room({
  wing: "sending",
  name: "webhooks",
  about:
    "what other services tell by their web hooks, as messages of a bot: `formats` has a pure function for each, with `payload`, which reads what may be anything, and `markup`, by which no name is markup",
  endpoints: [postExternal],
})
