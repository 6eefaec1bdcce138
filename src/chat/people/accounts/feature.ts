import { room } from "../../room.ts"
import { addressPage } from "./address-page.ts"
import { deleteOwnUser, deleteUser } from "./leave.ts"
import { passwordAskedKind } from "./password-asked.ts"
import { passwordPage } from "./password-page.ts"

export const accountsRoom = room({
  wing: "people",
  name: "accounts",
  about:
    "the pages on which another password is chosen and another address confirmed; leaving, with all that ends by it",
  endpoints: [deleteOwnUser, deleteUser],
  jobs: [passwordAskedKind.job],
  webPages: [passwordPage, addressPage],
})
