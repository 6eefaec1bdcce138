import { defineFeature } from "../../feature.ts"
import { deactivateRealm } from "./deactivate-realm.ts"
import { fullMembersJob } from "./full-members.ts"
import { patchRealm } from "./patch-realm.ts"
import { realmKind } from "./realm-event.ts"
import { realmSection } from "./realm-section.ts"
import { restartKind } from "./restart-event.ts"
import { getServerSettings } from "./server-settings.ts"

export const organizationFeature = defineFeature({
  area: "organization",
  name: "organization",
  about: "its settings, the server's, and its end",
  chapter: "organization",
  endpoints: [getServerSettings, patchRealm, deactivateRealm],
  kinds: [realmKind, restartKind],
  sections: [realmSection],
  jobs: [fullMembersJob],
})
