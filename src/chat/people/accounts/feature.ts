import { defineFeature } from "../../feature.ts"
import { addressPage } from "./address-page.ts"
import { deleteOwnUser, deleteUser } from "./deactivate-account.ts"
import { passwordPage } from "./password-page.ts"
import { passwordRequestKind } from "./password-request.ts"

export const accountsFeature = defineFeature({
  area: "people",
  name: "accounts",
  about:
    "the pages on which another password is chosen and another address confirmed; leaving, with all that ends by it",
  chapter: "users",
  endpoints: [deleteOwnUser, deleteUser],
  jobs: [passwordRequestKind.job],
  webPages: [passwordPage, addressPage],
})
