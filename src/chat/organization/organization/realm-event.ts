/**
 * How changes of the organization itself look on the wire. A setting has the name that it has in register, without
 * `realm_`. Some settings belong together and are sent in one event.
 */
import * as Schema from "effect/Schema"
import type { Keys, WireSchema } from "../../../api/endpoint.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { WireEvent } from "../../../events/encode.ts"
import { isStored } from "../../../events/event.ts"
import type { Json, JsonObject } from "../../../json.ts"
import type { FaceRealm } from "../../ground/faces/face-urls.ts"
import { shownKind } from "../../ground/kinds/event-kind.ts"
import { activeAtRow, none, one, plain } from "../../ground/kinds/event-shape.ts"
import { type RealmPayload, realmRows, type SignInMethods } from "../../ground/kinds/realm-row.ts"
import { shownSetting } from "../../ground/permissions/group-settings.ts"
import { findOlderPolicy } from "../../ground/permissions/permission-settings.ts"
import { historyPolicies } from "../../ground/realm/realm-settings.ts"
import type { IsActive } from "../../ground/realm/rules.ts"
import { GroupSetting } from "../../ground/realm/values.ts"
import type { SignInSettings } from "../../ground/sign-in/ways.ts"
import { Count, Id, opEvent } from "../../ground/wire/wire-values.ts"
import { realmPicture, realmPictures } from "./realm-picture.ts"
import {
  AuthenticationMethods,
  furtherRealmKeys,
  NamedChannel,
  Retention,
  realmPermissionFields,
  realmPictureKeys,
  TopicsPolicy,
} from "./realm-schema.ts"

const property = (name: string, value: Json): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update", property: name, value })

const together = (values: JsonObject): ReadonlyArray<WireEvent> =>
  one({ type: "realm", op: "update_dict", property: "default", data: values })

/** The ways to sign in, in events and in register: those that the server has, each on or off. */
export const authenticationMethods = (
  { password_auth_enabled, ldap_auth_enabled }: SignInSettings,
  { directory, mode }: Pick<ConfigShape, "directory" | "mode">,
): SignInMethods => ({
  Email: { enabled: password_auth_enabled, available: true },
  ...(directory === null ? {} : { LDAP: { enabled: ldap_auth_enabled, available: true } }),
  ...(mode === "development" ? { Dev: { enabled: true, available: true } } : {}),
})

/** The ways to sign in that rows of older programs tell, which knew no directory. */
const olderMethods = (password: boolean, development: boolean): SignInMethods =>
  authenticationMethods(
    { password_auth_enabled: password, ldap_auth_enabled: false },
    { directory: null, mode: development ? "development" : "production" },
  )

const readSetting = Schema.decodeUnknownSync(GroupSetting)

/** A changed permission; and a second event with the number for older clients, if the row is wide enough for both. */
const permission = (name: string, value: GroupSetting, width: number, isActive: IsActive) => {
  const events = together({ [name]: shownSetting(value, isActive) })
  const older = width > 1 ? findOlderPolicy(name) : undefined
  if (older === undefined) return events
  const event = { type: "realm", op: "update", property: older.name, value: older.number(value) }
  return [...events, { n: 1, event }]
}

type Update = Extract<RealmPayload, { readonly op: "update" }>

const setting = (
  realm: FaceRealm,
  { key, value, methods, development = false, rendered = "" }: Update,
  width: number,
  isActive: IsActive,
): ReadonlyArray<WireEvent> => {
  switch (key) {
    case "name":
    case "name_changes_disabled":
    case "require_unique_names":
    case "enable_spectator_access":
    case "default_code_block_language":
    case "inline_image_preview":
    case "inline_url_embed_preview":
    case "emails_restricted_to_domains":
    case "new_stream_announcements_stream_id":
    case "signup_announcements_stream_id":
    case "moderation_request_channel_id":
    case "message_retention_days":
    case "message_content_delete_limit_seconds":
    case "enable_read_receipts":
    case "email_changes_disabled":
    case "welcome_message_custom_text":
    case "avatar_changes_disabled":
    case "default_language":
    case "org_type":
    case "presence_disabled":
    case "disallow_disposable_email_addresses":
    case "send_welcome_emails":
    case "video_chat_provider":
    case "jitsi_server_url":
    case "giphy_rating":
    case "enable_guest_user_indicator":
    case "enable_guest_user_dm_warning":
    case "want_advertise_in_communities_directory":
    case "digest_emails_enabled":
    case "digest_weekday":
    case "message_content_allowed_in_email_notifications":
    case "require_e2ee_push_notifications":
      return property(key, value)
    case "icon":
    case "logo":
    case "night_logo":
      return one({ type: "realm", op: "update_dict", property: key, data: realmPicture(realm, key, String(value)) })
    case "full_members_at":
    case "user_defaults":
      return none
    case "waiting_period_days":
      return property("waiting_period_threshold", value)
    case "description":
      return together({ description: value, rendered_description: rendered })
    case "allow_message_editing":
    case "message_content_edit_limit_seconds":
      return together({ [key]: value })
    case "message_edit_history_visibility_policy":
      return together({ [key]: value, allow_edit_history: value !== "none" })
    case "topics_policy":
      return together({ topics_policy: value, mandatory_topics: value === "disable_empty_topic" })
    case "move_messages_within_stream_limit_seconds":
    case "move_messages_between_streams_limit_seconds":
      return together({ [key]: value })
    case "password_auth_enabled":
    case "ldap_auth_enabled":
      return together({ authentication_methods: methods ?? olderMethods(value === true, development) })
    default:
      return permission(key, readSetting(value), width, isActive)
  }
}

/** The event of a setting that is sent alone: each has its own Schema, so that values of another type do not pass. */
const alone = (name: string, value: WireSchema) => opEvent("realm", "update", { property: Schema.Literal(name), value })

const OlderPolicy = Schema.Literals([1, 2, 3, 4, 5, 6, 7])

const permissions: Keys = Object.fromEntries(
  Object.entries(realmPermissionFields).map(([name, value]) => [name, Schema.optionalKey(value)]),
)

const Together = Schema.Struct({
  ...permissions,
  authentication_methods: Schema.optionalKey(AuthenticationMethods),
  topics_policy: Schema.optionalKey(TopicsPolicy),
  mandatory_topics: Schema.optionalKey(Schema.Boolean),
  allow_message_editing: Schema.optionalKey(Schema.Boolean),
  message_content_edit_limit_seconds: Schema.optionalKey(Schema.NullOr(Count)),
  message_edit_history_visibility_policy: Schema.optionalKey(Schema.Literals(historyPolicies)),
  allow_edit_history: Schema.optionalKey(Schema.Boolean),
  move_messages_within_stream_limit_seconds: Schema.optionalKey(Schema.NullOr(Count)),
  move_messages_between_streams_limit_seconds: Schema.optionalKey(Schema.NullOr(Count)),
  description: Schema.optionalKey(Schema.String),
  rendered_description: Schema.optionalKey(Schema.String),
}).check(Schema.makeFilter((data) => Object.keys(data).length > 0, { expected: "something that changed" }))

const events: Keys = {
  update: Schema.Union([
    alone("name_changes_disabled", Schema.Boolean),
    alone("require_unique_names", Schema.Boolean),
    alone("enable_spectator_access", Schema.Boolean),
    alone("default_code_block_language", Schema.String),
    alone("inline_image_preview", Schema.Boolean),
    alone("inline_url_embed_preview", Schema.Boolean),
    alone("waiting_period_threshold", Count),
    alone("name", Schema.NonEmptyString),
    alone("emails_restricted_to_domains", Schema.Boolean),
    alone("new_stream_announcements_stream_id", NamedChannel),
    alone("signup_announcements_stream_id", NamedChannel),
    alone("moderation_request_channel_id", NamedChannel),
    alone("message_retention_days", Retention),
    alone("message_content_delete_limit_seconds", Schema.NullOr(Count)),
    alone("enable_read_receipts", Schema.Boolean),
    alone("email_changes_disabled", Schema.Boolean),
    alone("welcome_message_custom_text", Schema.String),
    alone("avatar_changes_disabled", Schema.Boolean),
    alone("default_language", Schema.NonEmptyString),
    ...Object.entries(furtherRealmKeys).map(([name, value]) => alone(name, value)),
    alone("create_public_stream_policy", OlderPolicy),
    alone("create_private_stream_policy", OlderPolicy),
    alone("create_web_public_stream_policy", OlderPolicy),
    alone("user_group_edit_policy", OlderPolicy),
    alone("wildcard_mention_policy", OlderPolicy),
  ]),
  update_dict: Schema.Union([
    opEvent("realm", "update_dict", { property: Schema.Literal("default"), data: Together }),
    ...realmPictures.map((name) =>
      opEvent("realm", "update_dict", { property: Schema.Literal(name), data: Schema.Struct(realmPictureKeys[name]) }),
    ),
  ]),
  deactivated: opEvent("realm", "deactivated", { realm_id: Id }),
}

export const realmKind = shownKind(realmRows, {
  events,
  // The section `realm_user` holds the requester's own rights to create channels.
  sections: ["realm", "realm_user"],
  look: (past, read) =>
    plain((body) => {
      const payload = read(body.payload)
      switch (payload.op) {
        case "update":
          return setting(past, payload, isStored(body) ? body.width : 1, activeAtRow(past.activeAt, body))
        case "deactivated":
          return one({ type: "realm", op: "deactivated", realm_id: payload.realm_id })
        case "reactivated":
          return none
      }
    }),
})
