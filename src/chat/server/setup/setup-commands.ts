/**
 * Commands by which the server itself changes an organization or an account. As in realm-setup.ts, no permissions are
 * checked. Called by the commands of operators (server/commands) and the test kit; for the settings of an organization there
 * is an endpoint, too (patch-realm.ts).
 */
import * as Effect from "effect/Effect"
import { Config } from "../../../config/config.ts"
import { toRealm, toServers } from "../../../events/audience.ts"
import { type Command, change, done, type Judgement } from "../../../events/command.ts"
import type { RealmId, UserId } from "../../../ids.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { RealmSettings } from "../../ground/realm/realm-settings.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserSetting, UserSettings } from "../../ground/realm/user-settings.ts"
import { apiKeyKind } from "../../ground/sign-in/api-key.ts"
import { judgeRealmChange } from "../../organization/organization/realm-update.ts"
import { accountStateKind, passwordRow } from "../../people/users/account-kinds.ts"
import { settingRows } from "../../people/users/setting-rows.ts"

const submit = Effect.fnUntraced(function* (id: RealmId, judge: (realm: Realm) => Judgement<void>) {
  const realms = yield* Realms
  const command: Command<Realm, void> = { judge }
  return yield* realms.submit(id, command)
})

/** Changes some settings of an organization. Dies if a value is not one that the setting can have. */
export const changeRealmSettings = Effect.fnUntraced(function* (id: RealmId, changes: Partial<RealmSettings>) {
  const config = yield* Config
  yield* submit(id, (realm) => judgeRealmChange(realm, changes, config))
})

/** Deactivates the organization: every connection ends, and nobody can sign in. */
export const deactivateRealm = (id: RealmId) =>
  submit(id, (realm) => {
    if (realm.isDeactivated) return done(undefined)
    return change([realmRows.change({ op: "deactivated", realm_id: id }, toRealm)])
  })

export const reactivateRealm = (id: RealmId) =>
  submit(id, (realm) => {
    if (!realm.isDeactivated) return done(undefined)
    return change([realmRows.change({ op: "reactivated" }, toServers)])
  })

/** The user can no longer sign in with their password; their API key stays valid. */
export const requirePasswordReset = (id: RealmId, user: UserId) =>
  submit(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined || known.must_reset_password) return done(undefined)
    return change([accountStateKind.change({ user_id: user, must_reset: true }, toServers)])
  })

/** From now on the user signs in with this password, also where the one before had to be reset. */
export const changePassword = (id: RealmId, user: UserId, passwordHash: string) =>
  submit(id, () => change([passwordRow(user, passwordHash)]))

/** The user's API key is another one; the connections of the old one end. */
export const renewApiKey = (id: RealmId, user: UserId) =>
  submit(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined) return done(undefined)
    return change([apiKeyKind.change({ user_id: user, key_version: known.key_version + 1 }, toServers)])
  })

/** Changes a user's setting. Dies if the value is not one that the setting can have. */
export const changeUserSetting = <Name extends UserSetting>(
  id: RealmId,
  user: UserId,
  property: Name,
  value: UserSettings[Name],
) =>
  submit(id, (realm) => {
    const before = realm.users.get(user)
    const rows = before === undefined ? [] : settingRows(realm, before, [[property, value]])
    return rows.length === 0 ? done(undefined) : change(rows)
  })
