import { defineFeature } from "../../feature.ts"
import { savedSnippets } from "./saved-snippet-event.ts"
import { savedSnippetEndpoints } from "./saved-snippets.ts"

export const savedSnippetsFeature = defineFeature({
  area: "personal",
  name: "saved-snippets",
  about: "texts that a user keeps to insert again: the example of a noun that only the database holds",
  chapter: "personal",
  endpoints: savedSnippetEndpoints,
  kinds: [savedSnippets.kind],
  sections: [savedSnippets.section],
})
