import { room } from "../../room.ts"
import { guestContactsKind } from "./guest-contacts-row.ts"
import { queueEndKind } from "./queue-end-row.ts"
import { userStatuses } from "./user-statuses.ts"

export const kindsRoom = room({
  wing: "ground",
  name: "kinds",
  about:
    "the shapes that rooms fill in: `event-kind`, `section`; the rows that several rooms write; `catalog`: all of them as the server knows them",
  kinds: [queueEndKind, guestContactsKind],
  parts: [userStatuses],
})
