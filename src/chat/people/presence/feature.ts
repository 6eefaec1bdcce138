import { defineFeature } from "../../feature.ts"
import { presenceEndpoints } from "./presence.ts"
import { PresenceBook, restPresenceJob, savePresenceJob, takePresenceJob } from "./presence-book.ts"
import { presenceKind } from "./presence-event.ts"
import { presenceSection } from "./presence-section.ts"

export const presenceFeature = defineFeature({
  area: "people",
  name: "presence",
  about: "who is there: pings of clients, which expire; the example of state that is not in the log",
  chapter: "users",
  endpoints: presenceEndpoints,
  kinds: [presenceKind],
  sections: [presenceSection],
  jobs: [savePresenceJob, takePresenceJob, restPresenceJob],
  layer: PresenceBook.layer,
})
