/** Other names for people. Messages show the name that their sender has now; what was rendered keeps the name that it has. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { toRealm } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { isAdministrator } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { readUserName } from "../../ground/requester/read-names.ts"

/**
 * Who gives somebody else another name, and values in profile fields: administrators, whatever the other's role, and owners
 * of bots, to these.
 */
export const mayEditPerson = (user: UserRecord, target: UserRecord): boolean =>
  isAdministrator(user) || target.bot_owner_id === user.id

/** Refuses a name that somebody else has, whatever its case, where the organization wants each name once. */
export const requireUnique = (realm: Realm, name: string, user: UserId | null): Checked<string> => {
  if (!realm.settings.require_unique_names) return Result.succeed(name)
  return [...realm.findUsersByName(name)].some((id) => id !== user)
    ? Result.fail(badRequest("Unique names required in this organization."))
    : Result.succeed(name)
}

/** The row that gives somebody a name; none where they have it. */
export const planName = (realm: Realm, user: UserRecord, raw: string): Checked<ReadonlyArray<NewRow>> => {
  if (raw === user.full_name) return Result.succeed([])
  return Result.map(
    Result.flatMap(readUserName(raw), (name) => requireUnique(realm, name, user.id)),
    (full_name) =>
      full_name === user.full_name
        ? []
        : [realmUserRows.change({ op: "update", user_id: user.id, full_name }, toRealm)],
  )
}

/** As planName, for somebody who changes their own. */
export const planOwnName = (realm: Realm, user: UserRecord, raw: string): Checked<ReadonlyArray<NewRow>> =>
  realm.settings.name_changes_disabled && !isAdministrator(user) && raw !== user.full_name
    ? Result.fail(badRequest("Name changes are disabled in this organization."))
    : planName(realm, user, raw)
