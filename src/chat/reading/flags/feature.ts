import { defineFeature } from "../../feature.ts"
import { postFlags, postFlagsForNarrow } from "./flags.ts"
import { flagsKind } from "./flags-event.ts"
import { starredSection, unreadSection } from "./flags-sections.ts"
import { markAllAsRead, markStreamAsRead, markTopicAsRead } from "./mark-read.ts"

export const flagsFeature = defineFeature({
  area: "reading",
  name: "flags",
  about: "what a user has read, starred, collapsed; `read-state.sql`: how it is stored",
  chapter: "messages",
  endpoints: [postFlags, postFlagsForNarrow, markAllAsRead, markStreamAsRead, markTopicAsRead],
  kinds: [flagsKind],
  sections: [unreadSection, starredSection],
})
