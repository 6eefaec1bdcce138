/**
 * The requester's own settings: the section `user_settings`, its older copies for clients without the capability
 * `user_settings_object`, and the defaults of a new account.
 */
import type { Keys } from "../../../api/endpoint.ts"
import type { JsonObject } from "../../../json.ts"
import { emptySection, type Section, section } from "../../ground/kinds/section.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { wants } from "../../ground/kinds/section-view.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { newUserSettings, wireUserSettings } from "../../ground/realm/user-settings.ts"
import { displaySettings, notificationSettings, UserSettings } from "./settings-schema.ts"

/** Older copies of a user's settings, at the top level of the answer. */
export const olderSettings = ["update_display_settings", "update_global_notifications"] as const

/** A visitor without an account has the settings of a new account. */
const settingsOf = (user: UserRecord | null): JsonObject =>
  user === null ? wireUserSettings(newUserSettings, "") : wireUserSettings(user.settings, user.timezone)

/** One of the older copies, for clients that do not read `user_settings`. */
const olderCopy = (name: (typeof olderSettings)[number], keys: Keys): Section => ({
  name,
  keys,
  isWanted: (view) => !view.userSettingsObject && wants(view, name),
  take: ({ user }) => membersOf(Object.fromEntries(Object.entries(settingsOf(user)).filter(([key]) => key in keys))),
})

export const settingsSections: ReadonlyArray<Section> = [
  section("user_settings", { user_settings: UserSettings }, ({ user }) => ({ user_settings: settingsOf(user) })),
  olderCopy("update_display_settings", displaySettings),
  olderCopy("update_global_notifications", notificationSettings),
]

/** The settings of a new account; an organization cannot change them yet. */
export const settingsDefaultsSection = emptySection(
  "realm_user_settings_defaults",
  { realm_user_settings_defaults: UserSettings },
  { realm_user_settings_defaults: wireUserSettings(newUserSettings, "") },
)
