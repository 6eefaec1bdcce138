import { defineFeature } from "../../feature.ts"
import { draftEndpoints, drafts } from "./drafts.ts"

export const draftsFeature = defineFeature({
  area: "personal",
  name: "drafts",
  about: "messages that a user has begun to write, for their other clients",
  chapter: "personal",
  endpoints: draftEndpoints,
  kinds: [drafts.kind],
  sections: [drafts.section],
})
