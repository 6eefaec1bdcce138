/** Events about an account that go only to its owner (its settings) or to no client at all (whether it may sign in). */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import { toServers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import type { Json } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { wants } from "../../ground/kinds/section-view.ts"
import { userStatuses } from "../../ground/kinds/user-statuses.ts"
import { presences } from "../../ground/presences/presences.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { presentValue, userSettingNames, withUserSetting } from "../../ground/realm/user-settings.ts"
import { languageOf } from "./settings/languages.ts"
import {
  displaySettings,
  notificationSettings,
  olderSettingEvent,
  userSettingsEvents,
} from "./settings/settings-schema.ts"
import { olderSettings } from "./settings-section.ts"

const changeUser = (realm: Realm, id: UserId, changes: (user: UserRecord) => Partial<UserRecord>): void => {
  const user = realm.users.get(id)
  if (user !== undefined) realm.setUser({ ...user, ...changes(user) })
}

/** A user who does not show when they are here is away, for older clients. Bots have no status. */
const changeAway = (realm: Realm, id: UserId, isShown: boolean): void => {
  if (realm.users.get(id)?.is_bot === false) realm.part(userStatuses).set(id, { away: !isShown })
}

/** The time zone is not stored with the other settings. */
const Property = Schema.Literals([...userSettingNames, "timezone"])

const JsonValue: Schema.Codec<Json> = Schema.Json

export const userSettingsKind = eventKind({
  type: "user_settings",
  payload: Schema.Struct({
    user_id: idSchemas.user,
    property: Property,
    value: JsonValue,
  }),
  changesRules: true,
  applyFunction: "apply_user_settings_v2",
  applyToProjection: (realm, { user_id, property, value }) => {
    changeUser(realm, user_id, ({ settings }) =>
      property === "timezone" ? { timezone: String(value) } : { settings: withUserSetting(settings, property, value) },
    )
    if (property === "presence_enabled") changeAway(realm, user_id, value === true)
    // Presences are listed by the address that others see.
    if (property === "email_address_visibility") realm.part(presences).lists.rewrite(user_id)
  },
  events: userSettingsEvents,
  // A client that reads `user_settings` does not need the older copies. Drafts go with their setting, without an event.
  sections: (view) => [
    "user_settings",
    ...(wants(view, "drafts") ? ["drafts"] : []),
    ...(view.userSettingsObject || wants(view, "user_settings") ? [] : olderSettings),
  ],
  wire: ({ property, value }) =>
    oneEvent({
      type: "user_settings",
      op: "update",
      property,
      value: presentValue(property, value),
      ...languageOf(property, value),
    }),
})

/**
 * One of the older forms of a changed setting, for clients without the capability `user_settings_object`. Its rows only
 * inform. `email`: the API address of the user.
 */
const olderKind = (
  type: (typeof olderSettings)[number],
  key: "setting_name" | "notification_name",
  keys: WireKeys,
) => ({
  names: new Set(Object.keys(keys)),
  kind: eventKind({
    type,
    payload: Schema.Struct({ property: Property, value: JsonValue, email: Schema.String }),
    changesRules: false,
    events: olderSettingEvent(type, key, keys),
    sections: (view) => (view.userSettingsObject ? [] : [type]),
    wireForm: (_past, read) => ({
      personal: false,
      variant: (_body, { userSettingsObject }) => String(userSettingsObject),
      wire: ({ payload }, { userSettingsObject }) => {
        if (userSettingsObject) return noEvents
        const { property, value, email } = read(payload)
        const setting = presentValue(property, value)
        return oneEvent({ type, [key]: property, setting, user: email, ...languageOf(property, value) })
      },
    }),
  }),
})

export const olderSettingKinds = [
  olderKind("update_display_settings", "setting_name", displaySettings),
  olderKind("update_global_notifications", "notification_name", notificationSettings),
]

/** Whether the password must be reset before it signs in, or another password beside. No client gets this event. */
export const accountStateKind = eventKind({
  type: "account_state",
  payload: Schema.Struct({ user_id: idSchemas.user, must_reset: Schema.Boolean }),
  changesRules: true,
  applyFunction: "apply_account_state_v3",
  applyToProjection: (realm, { user_id, must_reset }) =>
    changeUser(realm, user_id, () => ({ must_reset_password: must_reset })),
  events: {},
  wire: () => noEvents,
})

/** The row by which a user signs in with another password from now on, also where the one before had to be reset. */
export const passwordRow = (user: UserId, hash: string): NewRow =>
  accountStateKind.change({ user_id: user, must_reset: false }, toServers, { sideData: { password_hash: hash } })
