/** Events about an account that go only to its owner (its settings) or to no client at all (whether it may sign in). */
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../ids.ts"
import type { Json } from "../../json.ts"
import { eventKind } from "../kinds/event-kind.ts"
import { none, one } from "../kinds/event-shape.ts"
import { wants } from "../kinds/section-view.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { userSettingNames, withUserSetting } from "../realm/user-settings.ts"
import { userSettingsEvents } from "./settings-schema.ts"
import { olderSettings } from "./settings-section.ts"

const changeUser = (realm: Realm, id: UserId, changes: (user: UserRecord) => Partial<UserRecord>): void => {
  const user = realm.users.get(id)
  if (user !== undefined) realm.setUser({ ...user, ...changes(user) })
}

const JsonValue: Schema.Codec<Json> = Schema.Json

const languages: Readonly<Record<string, string>> = { en: "English" }

export const userSettingsKind = eventKind({
  type: "user_settings",
  payload: Schema.Struct({
    user_id: idSchemas.user,
    property: Schema.Literals(userSettingNames),
    value: JsonValue,
  }),
  changesRules: true,
  table: "apply_user_settings_v1",
  move: (realm, { user_id, property, value }) =>
    changeUser(realm, user_id, ({ settings }) => ({ settings: withUserSetting(settings, property, value) })),
  events: userSettingsEvents,
  // A client that reads `user_settings` does not need the older copies.
  sections: (view) =>
    view.userSettingsObject || wants(view, "user_settings") ? ["user_settings"] : ["user_settings", ...olderSettings],
  wire: ({ property, value }) => {
    const language = property === "default_language" ? { language_name: languages[String(value)] ?? String(value) } : {}
    return one({ type: "user_settings", op: "update", property, value, ...language })
  },
})

/** Whether the password must be reset before it signs in. No client gets this event. */
export const accountStateKind = eventKind({
  type: "account_state",
  payload: Schema.Struct({ user_id: idSchemas.user, must_reset: Schema.Boolean }),
  changesRules: true,
  table: "apply_account_state_v1",
  move: (realm, { user_id, must_reset }) => changeUser(realm, user_id, () => ({ must_reset_password: must_reset })),
  events: {},
  wire: () => none,
})
