import { room } from "../../room.ts"
import { realmDomainKind, realmDomainSection } from "./realm-domain-event.ts"
import { domainEndpoints } from "./realm-domains.ts"

export const realmDomainsRoom = room({
  wing: "organization",
  name: "realm-domains",
  about: "the domains to which the addresses of new accounts may be restricted",
  endpoints: domainEndpoints,
  kinds: [realmDomainKind],
  sections: [realmDomainSection],
})
