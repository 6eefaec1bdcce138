/** The judgement that another picture of the organization takes its place, for endpoints and the server's own setup. */
import { toRealm } from "../../../events/audience.ts"
import { change, type Judgement } from "../../../events/command.ts"
import { givingUp } from "../../ground/faces/face-files.ts"
import { realmFolder } from "../../ground/faces/face-urls.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { RealmPicture } from "../organization/realm-picture.ts"

/** `token`: of the new picture, whose file is stored already; empty: none. */
export const judgePictureChange = (realm: Realm, name: RealmPicture, token: string): Judgement<void> =>
  change([
    realmRows.change({ op: "update", key: name, value: token }, toRealm),
    ...givingUp(realmFolder, realm.settings[name]),
  ])
