import { room } from "../../room.ts"
import { fullMembersJob } from "./full-members.ts"
import { patchRealm } from "./patch-realm.ts"
import { realmKind } from "./realm-event.ts"
import { realmSection } from "./realm-section.ts"
import { getServerSettings } from "./server-settings.ts"

export const organizationRoom = room({
  wing: "organization",
  name: "organization",
  about: "its settings, the server's",
  endpoints: [getServerSettings, patchRealm],
  kinds: [realmKind],
  sections: [realmSection],
  jobs: [fullMembersJob],
})
