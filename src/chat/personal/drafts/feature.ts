import { room } from "../../room.ts"
import { draftEndpoints, drafts } from "./drafts.ts"

export const draftsRoom = room({
  wing: "personal",
  name: "drafts",
  about: "messages that a user has begun to write, for their other clients",
  endpoints: draftEndpoints,
  kinds: [drafts.kind],
  sections: [drafts.section],
})
