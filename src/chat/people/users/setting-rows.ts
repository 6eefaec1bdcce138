/**
 * The rows of a change of a user's own settings: for the user, for those who see their address or see it no more, and for
 * all who see whether they are away.
 */
import { toRealm, toUsers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { userStatusRows } from "../../ground/kinds/user-status-row.ts"
import { apiEmail, maySeeAddress } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { type UserSetting, withUserSetting } from "../../ground/realm/user-settings.ts"
import { shownRow } from "../presence/presence-row.ts"
import { olderSettingKinds, userSettingsKind } from "./account-kinds.ts"
import { consentRow } from "./export-consent-event.ts"

/**
 * The rows that tell others when a user has another address, or shows it to more people or to fewer: to those who see the real
 * address and did not, or see another one, that address; to those who see it no more, null; to all, the new API address and the
 * picture made from it.
 */
export const addressRows = (realm: Realm, before: UserRecord, after: UserRecord): ReadonlyArray<NewRow> => {
  const update = { op: "update", user_id: after.id } as const
  const email = apiEmail(realm, after)
  const shown =
    email === apiEmail(realm, before)
      ? []
      : [
          realmUserRows.tell({ ...update, new_email: email }, toRealm),
          ...(realm.usesGravatar && after.avatar === null
            ? [realmUserRows.tell({ ...update, avatar_version: after.avatar_version, email }, toRealm)]
            : []),
        ]
  const active = [...realm.users.values()].filter((viewer) => realm.isActive(viewer.id))
  const seeing = (user: UserRecord) => active.filter((viewer) => maySeeAddress(viewer, user)).map(({ id }) => id)
  const [saw, sees] = [new Set(seeing(before)), new Set(seeing(after))]
  const gained = [...sees].filter((id) => before.email !== after.email || !saw.has(id))
  const lost = [...saw].filter((id) => !sees.has(id))
  // Of many people the list of their ids would be most of the row.
  const audience = (users: ReadonlyArray<UserId>) => (users.length === active.length ? toRealm : toUsers(users))
  const real = (users: ReadonlyArray<UserId>, address: string | null) =>
    users.length === 0 ? [] : [realmUserRows.tell({ ...update, delivery_email: address }, audience(users))]
  return [...shown, ...real(gained, after.email), ...real(lost, null)]
}

type SettingProperty = UserSetting | "timezone"

/** A setting is told to all clients of the user, and again in an older form to those that do not know the newer one. */
const rowsOf = (user: UserRecord, email: string, property: SettingProperty, value: Json): ReadonlyArray<NewRow> => {
  const audience = toUsers([user.id])
  return [
    userSettingsKind.change({ user_id: user.id, property, value }, audience),
    ...olderSettingKinds
      .filter(({ names }) => names.has(property))
      .map(({ kind }) => kind.tell({ property, value, email }, audience)),
  ]
}

type SettingChanges = ReadonlyArray<readonly [UserSetting, Json]>

/** As settingRows, without the event about their status. */
export const quietSettingRows = (realm: Realm, before: UserRecord, changes: SettingChanges): ReadonlyArray<NewRow> => {
  const rows: Array<NewRow> = []
  let settings = before.settings
  for (const [property, value] of changes) {
    if (settings[property] === value) continue
    settings = withUserSetting(settings, property, value)
    rows.push(...rowsOf(before, apiEmail(realm, before), property, value))
  }
  if (settings.presence_enabled !== before.settings.presence_enabled && !before.is_bot)
    rows.push(shownRow(realm, before, settings.presence_enabled))
  if (settings.allow_private_data_export !== before.settings.allow_private_data_export && !before.is_bot)
    rows.push(consentRow(realm, before.id, settings.allow_private_data_export))
  const isShownOtherwise = settings.email_address_visibility !== before.settings.email_address_visibility
  return isShownOtherwise ? [...rows, ...addressRows(realm, before, { ...before, settings })] : rows
}

/**
 * The rows that give the settings these values; a setting that has its value already makes none. To others, who shows that
 * they are here no more is away.
 */
export const settingRows = (realm: Realm, before: UserRecord, changes: SettingChanges): ReadonlyArray<NewRow> => {
  const isShown = changes.findLast(([property]) => property === "presence_enabled")?.[1]
  const isTurned = isShown !== undefined && isShown !== before.settings.presence_enabled && !before.is_bot
  const status = isTurned ? [userStatusRows.tell({ user_id: before.id, away: isShown === false }, toRealm)] : []
  return [...quietSettingRows(realm, before, changes), ...status]
}

/** The time zone of a user is one of their settings, and everybody sees it. */
export const timezoneRows = (realm: Realm, before: UserRecord, timezone: string): ReadonlyArray<NewRow> => {
  if (before.timezone === timezone) return []
  const email = apiEmail(realm, before)
  return [
    ...rowsOf(before, email, "timezone", timezone),
    realmUserRows.tell({ op: "update", user_id: before.id, timezone, email }, toRealm),
  ]
}
