import { defineFeature } from "../../feature.ts"
import { mutedUserEndpoints } from "./muted-users.ts"
import { mutedUsersKind, mutedUsersSection } from "./muted-users-event.ts"
import { readMutedMessages } from "./read-muted-messages.ts"

export const mutedUsersFeature = defineFeature({
  area: "personal",
  name: "muted-users",
  about: "people whom a user mutes: the example of a noun that is held in memory",
  chapter: "personal",
  endpoints: mutedUserEndpoints,
  kinds: [mutedUsersKind],
  sections: [mutedUsersSection],
  bulk: [readMutedMessages],
})
