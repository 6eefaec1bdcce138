/**
 * An organization's settings: those that rules already read, with the defaults of a new one. Stored as one JSON value
 * with the realm; a key that is absent there has its default, so a new setting needs no migration.
 */
import * as Schema from "effect/Schema"
import type { Json } from "../json.ts"
import { GroupSetting, systemGroups } from "./values.ts"

const fields = {
  name: Schema.String,
  description: Schema.String,
  topics_policy: Schema.Literals(["allow_empty_topic", "disable_empty_topic"]),
  /** Days until a member counts as a full member. */
  waiting_period_days: Schema.Finite,
  can_create_public_channel_group: GroupSetting,
  can_create_private_channel_group: GroupSetting,
  can_add_subscribers_group: GroupSetting,
  direct_message_initiator_group: GroupSetting,
  direct_message_permission_group: GroupSetting,
  /** Whether visitors without an account may read what is public. */
  enable_spectator_access: Schema.Boolean,
  password_auth_enabled: Schema.Boolean,
  /** Whether a name at sign-in must have the form of an address. */
  require_email_format_usernames: Schema.Boolean,
}

const RealmSettings = Schema.Struct(fields)
export type RealmSettings = typeof RealmSettings.Type
export type RealmSetting = keyof RealmSettings

const isSetting = (name: string): name is RealmSetting => Object.hasOwn(fields, name)
export const realmSettingNames: ReadonlyArray<RealmSetting> = Object.keys(fields).filter(isSetting)

const defaults: RealmSettings = {
  name: "",
  description: "",
  topics_policy: "allow_empty_topic",
  waiting_period_days: 0,
  can_create_public_channel_group: systemGroups["role:members"],
  can_create_private_channel_group: systemGroups["role:members"],
  can_add_subscribers_group: systemGroups["role:members"],
  direct_message_initiator_group: systemGroups["role:everyone"],
  direct_message_permission_group: systemGroups["role:everyone"],
  enable_spectator_access: false,
  password_auth_enabled: true,
  require_email_format_usernames: true,
}

const decode = Schema.decodeUnknownSync(RealmSettings)

/** The settings of a realm, as they are stored, over the defaults. */
export const readRealmSettings = (stored: object): RealmSettings => decode({ ...defaults, ...stored })

/** The same settings but for one. */
export const withRealmSetting = (settings: RealmSettings, name: RealmSetting, value: Json): RealmSettings =>
  decode({ ...settings, [name]: value })
