/**
 * Makes an organization: its row, its lock and its system groups. This is its state before the first row of its log.
 * Used by the demo seed, by the command `org create` (server/commands) and by the test kit.
 */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { newEpoch } from "../../../db/server-state.ts"
import { RealmId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { systemGroups } from "../../ground/realm/domain-values.ts"
import { insertRealm } from "../../ground/realm/realm-store.ts"
import { servedByThis } from "../../organization/organization/restart-event.ts"

const descriptions: Readonly<Record<keyof typeof systemGroups, string>> = {
  "role:internet": "Everyone on the internet",
  "role:everyone": "All users of this organization, guests included",
  "role:members": "Members of this organization, not guests",
  "role:fullmembers": "Members past the waiting period of new accounts",
  "role:moderators": "Moderators, administrators and owners",
  "role:administrators": "Administrators and owners",
  "role:owners": "Owners of this organization",
  "role:nobody": "Nobody",
}

/** Each group's direct subgroup is the next narrower one. */
const groups = Object.entries(systemGroups).map(([name, id]) => ({
  id,
  name,
  description: Object.entries(descriptions).find(([each]) => each === name)?.[1] ?? "",
  subgroup: id < systemGroups["role:owners"] ? id + 1 : null,
}))

export const createRealm = (
  database: DatabaseShape,
  realm: { readonly id: number; readonly host: string; readonly settings: JsonObject },
  time: number | null,
): Effect.Effect<RealmId, Unavailable> =>
  Effect.as(
    insertRealm(
      database,
      { id: realm.id, host: realm.host, epoch: newEpoch() },
      JSON.stringify({ ...servedByThis(), ...realm.settings }),
      JSON.stringify(groups),
      time,
    ),
    RealmId(realm.id),
  )
