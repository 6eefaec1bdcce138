import { room } from "../../room.ts"
import { guestContacts } from "./acquaintance/acquaintance.ts"
import { realmDomains } from "./domains.ts"

export const realmRoom = room({
  wing: "ground",
  name: "realm",
  about:
    "the base of all others: the projection and its `part`s, records, spans of roles and subscriptions over time, nested groups, settings, addresses, bots of the program; `realms`: the service that gives access to running realms",
  parts: [guestContacts, realmDomains],
})
