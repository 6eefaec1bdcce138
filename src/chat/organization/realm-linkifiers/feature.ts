import { room } from "../../room.ts"
import { linkifierKind, linkifierSections } from "./realm-linkifier-event.ts"
import { linkifierEndpoints } from "./realm-linkifiers.ts"

export const realmLinkifiersRoom = room({
  wing: "organization",
  name: "realm-linkifiers",
  about: "the linkifiers of an organization: the example of a list that is stated whole",
  endpoints: linkifierEndpoints,
  kinds: [linkifierKind],
  sections: linkifierSections,
})
