import { room } from "../../room.ts"
import { alertWordEndpoints } from "./alert-words.ts"
import { alertWordsKind, alertWordsSection } from "./alert-words-event.ts"

export const alertWordsRoom = room({
  wing: "personal",
  name: "alert-words",
  about: "words that a user wants to be alerted to",
  endpoints: alertWordEndpoints,
  kinds: [alertWordsKind],
  sections: [alertWordsSection],
})
