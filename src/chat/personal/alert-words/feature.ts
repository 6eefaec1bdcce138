import { defineFeature } from "../../feature.ts"
import { alertWordEndpoints } from "./alert-words.ts"
import { alertWordsKind, alertWordsSection } from "./alert-words-event.ts"

export const alertWordsFeature = defineFeature({
  area: "personal",
  name: "alert-words",
  about: "words that a user wants to be alerted to",
  chapter: "personal",
  endpoints: alertWordEndpoints,
  kinds: [alertWordsKind],
  sections: [alertWordsSection],
})
