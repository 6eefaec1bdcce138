/**
 * Commands by which the server itself changes the state of an organization or of an account, like those of
 * realm-setup.ts: rules of who may do what do not apply. The test kit calls them; of an organization's settings there is an
 * endpoint too (patch-realm.ts).
 */
import * as Effect from "effect/Effect"
import { Config } from "../../config.ts"
import { type Command, call, done, type Judgement } from "../../events/command.ts"
import type { RealmId, UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { judgeRealmChange } from "../organization/realm-update.ts"
import { apiEmail, maySeeAddress } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { RealmSettings } from "../realm/realm-settings.ts"
import { Realms } from "../realm/realms.ts"
import type { UserRecord } from "../realm/records.ts"
import { storedUserSettings, type UserSetting, type UserSettings, withUserSetting } from "../realm/user-settings.ts"

const toAll = { kind: "realm" }
const toServers = { kind: "servers" }
const toUsers = (users: ReadonlyArray<number>): JsonObject => ({ kind: "users", users })

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
    const row = { type: "realm", payload: { op: "deactivated", realm_id: id }, audience: toAll }
    return call("change_realm_v1", { settings: { deactivated: true }, rows: [row] }, true)
  })

export const reactivateRealm = (id: RealmId) =>
  submit(id, (realm) => {
    if (!realm.isDeactivated) return done(undefined)
    const row = { type: "realm", payload: { op: "reactivated" }, audience: toServers }
    return call("change_realm_v1", { settings: { deactivated: false }, rows: [row] }, true)
  })

/** The user's password signs in no more; their API key does. */
export const requirePasswordReset = (id: RealmId, user: UserId) =>
  submit(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined || known.must_reset_password) return done(undefined)
    const row = { type: "account_state", payload: { user_id: user, must_reset: true }, audience: toServers }
    return call("change_account_v1", { user_id: user, must_reset_password: true, rows: [row] }, true)
  })

/**
 * What others are told when somebody shows their address to more people or to fewer: all, the address that stands for
 * them and the picture made from it; those who may see the real one from now on, or no more, that one.
 */
const addressRows = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<JsonObject> => {
  const update = { op: "update", user_id: after.id }
  const email = apiEmail(realm, after)
  const shown =
    email === apiEmail(realm, before)
      ? []
      : [
          { type: "realm_user", payload: { ...update, new_email: email }, audience: toAll },
          {
            type: "realm_user",
            payload: { ...update, avatar_version: after.avatar_version, email },
            audience: toAll,
          },
        ]
  const active = [...realm.users.values()].filter((viewer) => realm.isActive(viewer.id))
  const seeing = (user: UserRecord) => active.filter((viewer) => maySeeAddress(viewer, user)).map(({ id }) => id)
  const [saw, sees] = [new Set(seeing(before)), new Set(seeing(after))]
  const gained = [...sees].filter((id) => !saw.has(id))
  const lost = [...saw].filter((id) => !sees.has(id))
  const real = (users: ReadonlyArray<number>, address: string | null) =>
    users.length === 0
      ? []
      : [{ type: "realm_user", payload: { ...update, delivery_email: address }, audience: toUsers(users) }]
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
    const rows = [
      { type: "user_settings", payload: { user_id: user, property, value }, audience: toUsers([user]) },
      ...addressRows(realm, before, { ...before, settings }),
    ]
    return call("change_account_v1", { user_id: user, settings: storedUserSettings(settings), rows }, true)
  })
