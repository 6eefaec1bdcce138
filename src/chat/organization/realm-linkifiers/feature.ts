import { defineFeature } from "../../feature.ts"
import { linkifierKind, linkifierSections } from "./realm-linkifier-event.ts"
import { linkifierEndpoints } from "./realm-linkifiers.ts"

export const realmLinkifiersFeature = defineFeature({
  area: "organization",
  name: "realm-linkifiers",
  about: "the linkifiers of an organization: the example of a list that is stated whole",
  chapter: "organization",
  endpoints: linkifierEndpoints,
  kinds: [linkifierKind],
  sections: linkifierSections,
})
