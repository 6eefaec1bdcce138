/**
 * The requester's own settings: the section `user_settings`, its older copies for clients without the capability
 * `user_settings_object`, and the defaults of a new account.
 */
import type { WireKeys } from "../../../api/endpoint.ts"
import type { JsonObject } from "../../../json.ts"
import { type Section, type SectionSource, section } from "../../ground/kinds/section.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { wants } from "../../ground/kinds/section-view.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { firstUserSettings } from "../../ground/realm/realm-settings.ts"
import { wireUserSettings } from "../../ground/realm/user-settings.ts"
import { displaySettings, notificationSettings, UserSettings } from "./settings/settings-schema.ts"

/** Older copies of a user's settings, at the top level of the answer. */
export const olderSettings = ["update_display_settings", "update_global_notifications"] as const

/** What a new account begins with. */
const firstOf = (realm: Realm): JsonObject => wireUserSettings(firstUserSettings(realm.settings), "")

/** A visitor without an account has the settings of a new account. */
const settingsOf = ({ realm, user }: SectionSource): JsonObject =>
  user === null ? firstOf(realm) : wireUserSettings(user.settings, user.timezone)

/** One of the older copies, for clients that do not read `user_settings`. */
const olderCopy = (name: (typeof olderSettings)[number], keys: WireKeys): Section => ({
  name,
  keys,
  isWanted: (view) => !view.userSettingsObject && wants(view, name),
  take: (source) => membersOf(Object.fromEntries(Object.entries(settingsOf(source)).filter(([key]) => key in keys))),
})

export const settingsSections: ReadonlyArray<Section> = [
  section("user_settings", { user_settings: UserSettings }, (source) => ({ user_settings: settingsOf(source) })),
  olderCopy("update_display_settings", displaySettings),
  olderCopy("update_global_notifications", notificationSettings),
]

export const settingsDefaultsSection = section(
  "realm_user_settings_defaults",
  { realm_user_settings_defaults: UserSettings },
  ({ realm }) => ({ realm_user_settings_defaults: firstOf(realm) }),
)
