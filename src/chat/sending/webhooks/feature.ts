import { defineFeature } from "../../feature.ts"
import { postExternal } from "./post-external.ts"

export const webhooksFeature = defineFeature({
  area: "sending",
  name: "webhooks",
  about:
    "what other services tell by their web hooks, as messages of a bot: `formats` has a pure function for each, with `payload`, which reads what may be anything, and `markup`, by which no name is markup, and `html`, by which Markdown with HTML is Markdown without it",
  chapter: "webhooks",
  endpoints: [postExternal],
})
