import { defineFeature } from "../../feature.ts"
import { realmDomainKind, realmDomainSection } from "./realm-domain-event.ts"
import { domainEndpoints } from "./realm-domains.ts"

export const realmDomainsFeature = defineFeature({
  area: "organization",
  name: "realm-domains",
  about: "the domains to which the addresses of new accounts may be restricted",
  chapter: "organization",
  endpoints: domainEndpoints,
  kinds: [realmDomainKind],
  sections: [realmDomainSection],
})
