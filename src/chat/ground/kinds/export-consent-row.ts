/**
 * Rows that tell administrators whether somebody allows the export of what is private to them: their setting
 * `allow_private_data_export` says so, which only its owner hears of otherwise.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import { isAdministratorRole } from "../realm/values.ts"
import { rowKind } from "./event-kind.ts"

/** Only told: the row of the setting, or of the account, has changed it. */
export const exportConsentRows = rowKind({
  type: "realm_export_consent",
  payload: Schema.Struct({ user_id: idSchemas.user, consented: Schema.Boolean }),
  changesRules: false,
})

/** The people who hear of exports. */
export const exportAudience = (realm: Realm) =>
  toUsers(
    [...realm.users.values()]
      .filter(({ id, role }) => isAdministratorRole(role) && realm.isActive(id))
      .map(({ id }) => id),
  )

export const consentRow = (realm: Realm, user_id: UserId, consented: boolean): NewRow =>
  exportConsentRows.tell({ user_id, consented }, exportAudience(realm))
