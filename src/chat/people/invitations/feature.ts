import { defineFeature } from "../../feature.ts"
import { forgetInvitationsJob } from "./invitation-store.ts"
import { linkEndpoints } from "./invite-links.ts"
import { invitesChangedKind } from "./invites-changed-event.ts"
import { joinPage } from "./join-page.ts"
import { invitationEndpoints } from "./manage-invitations.ts"
import { postInvites } from "./send-invitations.ts"
import { testWelcome } from "./test-welcome.ts"

export const invitationsFeature = defineFeature({
  area: "people",
  name: "invitations",
  about: "inviting people by mail, links for many, and the page on which an invitation is accepted",
  chapter: "invitations",
  endpoints: [postInvites, ...invitationEndpoints, ...linkEndpoints, testWelcome],
  kinds: [invitesChangedKind],
  jobs: [forgetInvitationsJob],
  webPages: [joinPage],
})
