import { defineFeature } from "../../feature.ts"
import { guestContacts } from "./acquaintance/acquaintance.ts"
import { realmDomains } from "./email-domains.ts"

export const realmFeature = defineFeature({
  area: "ground",
  name: "realm",
  about:
    "the base of all others: the projection and its `projection-part`s, records, spans of roles and subscriptions over time, nested groups, settings, addresses, bots of the program; `realms`: the service that gives access to running realms",
  projectionParts: [guestContacts, realmDomains],
})
