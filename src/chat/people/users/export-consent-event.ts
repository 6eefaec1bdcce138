/**
 * The row and event that tell administrators whether somebody allows the export of what is private to them: their setting
 * `allow_private_data_export` says so, which nobody else hears of otherwise. Told where it changes, and of an account that is
 * back, where it is on. A new one begins without it.
 */
import * as Schema from "effect/Schema"
import { toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Id, plainEvent } from "../../ground/wire/wire-values.ts"

/** Its rows only inform: those of the setting, or of the account, change something. */
export const exportConsentKind = eventKind({
  type: "realm_export_consent",
  payload: Schema.Struct({ user_id: idSchemas.user, consented: Schema.Boolean }),
  changesRules: false,
  events: { "": plainEvent("realm_export_consent", { user_id: Id, consented: Schema.Boolean }) },
  wire: (payload) => oneEvent({ type: "realm_export_consent", ...payload }),
})

/** The people who hear of exports. */
export const exportAudience = (realm: Realm) =>
  toUsers([...realm.administrators].filter(realm.isActive).sort((a, b) => a - b))

export const consentRow = (realm: Realm, user_id: UserId, consented: boolean): NewRow =>
  exportConsentKind.tell({ user_id, consented }, exportAudience(realm))
