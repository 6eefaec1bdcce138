import { defineFeature } from "../../feature.ts"
import { accountEmailKind, accountLinkKind } from "./account-link-kinds.ts"
import { forgetAccountLinksJob } from "./account-link-store.ts"

export const accountLinksFeature = defineFeature({
  area: "people",
  name: "account-links",
  about:
    "links that are mailed to people, each good for one thing once: another password, another address; the rows of both",
  kinds: [accountLinkKind, accountEmailKind],
  jobs: [forgetAccountLinksJob],
})
