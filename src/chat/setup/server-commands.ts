/**
 * Commands by which the server itself changes an organization or an account. As in realm-setup.ts, no permissions are
 * checked. Called by the test kit; for the settings of an organization there is an endpoint, too (patch-realm.ts).
 */
import * as Effect from "effect/Effect"
import { Config } from "../../config.ts"
import { toRealm, toServers, toUsers } from "../../events/audience.ts"
import { type Command, change, done, type Judgement } from "../../events/command.ts"
import type { NewRow } from "../../events/step.ts"
import type { RealmId, UserId } from "../../ids.ts"
import { realmRows } from "../kinds/realm-row.ts"
import { realmUserRows } from "../kinds/realm-user-row.ts"
import { judgeRealmChange } from "../organization/realm-update.ts"
import { apiEmail, maySeeAddress } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { RealmSettings } from "../realm/realm-settings.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { type UserSetting, type UserSettings, withUserSetting } from "../realm/user-settings.ts"
import { accountStateKind, userSettingsKind } from "../users/account-kinds.ts"

const submit = Effect.fnUntraced(function* (id: RealmId, judge: (realm: Realm) => Judgement<void>) {
  const realms = yield* Realms
  const command: Command<Realm, void> = { judge }
  return yield* realms.submit(id, command)
})

/** Changes some settings of an organization. Dies if a value is not one that the setting can have. */
export const changeRealmSettings = Effect.fnUntraced(function* (id: RealmId, changes: Partial<RealmSettings>) {
  const { mode } = yield* Config
  yield* submit(id, (realm) => judgeRealmChange(realm, changes, mode))
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

/**
 * The rows that tell others when a user shows their real address to more people or to fewer: to all, the new API
 * address and the picture made from it; to those who gain or lose sight of the real address, that address or null.
 */
const addressRows = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<NewRow> => {
  const update = { op: "update", user_id: after.id } as const
  const email = apiEmail(realm, after)
  const shown =
    email === apiEmail(realm, before)
      ? []
      : [
          realmUserRows.tell({ ...update, new_email: email }, toRealm),
          realmUserRows.tell({ ...update, avatar_version: after.avatar_version, email }, toRealm),
        ]
  const active = [...realm.users.values()].filter((viewer) => realm.isActive(viewer.id))
  const seeing = (user: UserRecord) => active.filter((viewer) => maySeeAddress(viewer, user)).map(({ id }) => id)
  const [saw, sees] = [new Set(seeing(before)), new Set(seeing(after))]
  const gained = [...sees].filter((id) => !saw.has(id))
  const lost = [...saw].filter((id) => !sees.has(id))
  const real = (users: ReadonlyArray<UserId>, address: string | null) =>
    users.length === 0 ? [] : [realmUserRows.tell({ ...update, delivery_email: address }, toUsers(users))]
  return [...shown, ...real(gained, after.email), ...real(lost, null)]
}

/** Changes a user's setting. Dies if the value is not one that the setting can have. */
export const changeUserSetting = <Name extends UserSetting>(
  id: RealmId,
  user: UserId,
  property: Name,
  value: UserSettings[Name],
) =>
  submit(id, (realm) => {
    const before = realm.users.get(user)
    if (before === undefined || before.settings[property] === value) return done(undefined)
    const settings = withUserSetting(before.settings, property, value)
    return change([
      userSettingsKind.change({ user_id: user, property, value }, toUsers([user])),
      ...addressRows(realm, before, { ...before, settings }),
    ])
  })
