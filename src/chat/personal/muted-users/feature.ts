import { room } from "../../room.ts"
import { mutedUserEndpoints } from "./muted-users.ts"
import { mutedUsersKind, mutedUsersSection } from "./muted-users-event.ts"
import { readingMuted } from "./reading-muted.ts"

export const mutedUsersRoom = room({
  wing: "personal",
  name: "muted-users",
  about: "people whom a user mutes: the example of a noun that is held in memory",
  endpoints: mutedUserEndpoints,
  kinds: [mutedUsersKind],
  sections: [mutedUsersSection],
  bulk: [readingMuted],
})
