import { defineFeature } from "../../feature.ts"
import { guestContactsKind } from "./guest-contacts-row.ts"
import { queueEndKind } from "./queue-end-row.ts"
import { userStatuses } from "./user-statuses.ts"

export const kindsFeature = defineFeature({
  area: "ground",
  name: "kinds",
  about:
    "the shapes that features fill in: `event-kind`, `section`; the rows that several features write; `catalog`: all of them as the server knows them",
  kinds: [queueEndKind, guestContactsKind],
  projectionParts: [userStatuses],
})
