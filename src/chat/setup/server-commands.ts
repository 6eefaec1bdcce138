/**
 * Commands by which the server itself changes the state of an organization or of an account, like those of
 * realm-setup.ts: rules of who may do what do not apply. The test kit calls them; of an organization's settings there is an
 * endpoint too (patch-realm.ts).
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

/** Changes some settings; each that becomes another makes a row. Dies of values that no setting can have. */
export const changeRealmSettings = Effect.fnUntraced(function* (id: RealmId, changes: Partial<RealmSettings>) {
  const { mode } = yield* Config
  yield* submit(id, (realm) => judgeRealmChange(realm, changes, mode))
})

/** Nobody signs in any more, and every connection ends. */
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

/** The user's password signs in no more; their API key does. */
export const requirePasswordReset = (id: RealmId, user: UserId) =>
  submit(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined || known.must_reset_password) return done(undefined)
    return change([accountStateKind.change({ user_id: user, must_reset: true }, toServers)])
  })

/**
 * What others are told when somebody shows their address to more people or to fewer: all, the address that stands for
 * them and the picture made from it; those who may see the real one from now on, or no more, that one.
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

/** Dies of a value that the setting cannot have. */
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
