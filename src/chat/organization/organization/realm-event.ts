/**
 * The wire form of changes of the organization itself. A setting has the name that it has in register, without
 * `realm_`. Some settings belong together and are sent in one event.
 */
import * as Schema from "effect/Schema"
import type { WireKeys, WireSchema } from "../../../api/endpoint.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { WireEvent } from "../../../events/encode.ts"
import { isStored } from "../../../events/event.ts"
import type { Json, JsonObject } from "../../../json.ts"
import type { FaceRealm } from "../../ground/faces/face-urls.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { activeAtRow, noEvents, oneEvent, uniformType } from "../../ground/kinds/event-kind-helpers.ts"
import { type RealmPayload, realmRows, type SignInMethods } from "../../ground/kinds/realm-row.ts"
import { shownSetting } from "../../ground/permissions/permission-values.ts"
import { findLegacyPolicy } from "../../ground/permissions/permission-wire-forms.ts"
import { GroupSetting } from "../../ground/realm/domain-values.ts"
import type { IsActive } from "../../ground/realm/realm-rules.ts"
import { historyPolicies } from "../../ground/realm/realm-settings.ts"
import type { SignInSettings } from "../../ground/sign-in/password-sign-in.ts"
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

const propertyEvent = (name: string, value: Json): ReadonlyArray<WireEvent> =>
  oneEvent({ type: "realm", op: "update", property: name, value })

const dictEvent = (values: JsonObject): ReadonlyArray<WireEvent> =>
  oneEvent({ type: "realm", op: "update_dict", property: "default", data: values })

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
const permissionEvents = (name: string, value: GroupSetting, width: number, isActive: IsActive) => {
  const events = dictEvent({ [name]: shownSetting(value, isActive) })
  const legacy = width > 1 ? findLegacyPolicy(name) : undefined
  if (legacy === undefined) return events
  const event = { type: "realm", op: "update", property: legacy.name, value: legacy.number(value) }
  return [...events, { n: 1, event }]
}

type RealmUpdate = Extract<RealmPayload, { readonly op: "update" }>

const settingEvents = (
  realm: FaceRealm,
  { key, value, methods, development = false, rendered = "" }: RealmUpdate,
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
      return propertyEvent(key, value)
    case "icon":
    case "logo":
    case "night_logo":
      return oneEvent({
        type: "realm",
        op: "update_dict",
        property: key,
        data: realmPicture(realm, key, String(value)),
      })
    case "full_members_at":
    case "user_defaults":
      return noEvents
    case "waiting_period_days":
      return propertyEvent("waiting_period_threshold", value)
    case "description":
      return dictEvent({ description: value, rendered_description: rendered })
    case "allow_message_editing":
    case "message_content_edit_limit_seconds":
      return dictEvent({ [key]: value })
    case "message_edit_history_visibility_policy":
      return dictEvent({ [key]: value, allow_edit_history: value !== "none" })
    case "topics_policy":
      return dictEvent({ topics_policy: value, mandatory_topics: value === "disable_empty_topic" })
    case "move_messages_within_stream_limit_seconds":
    case "move_messages_between_streams_limit_seconds":
      return dictEvent({ [key]: value })
    case "password_auth_enabled":
    case "ldap_auth_enabled":
      return dictEvent({ authentication_methods: methods ?? olderMethods(value === true, development) })
    default:
      return permissionEvents(key, readSetting(value), width, isActive)
  }
}

/** The event of a setting that is sent alone: each has its own Schema, so that values of another type do not pass. */
const propertySchema = (name: string, value: WireSchema) =>
  opEvent("realm", "update", { property: Schema.Literal(name), value })

const LegacyPolicyNumber = Schema.Literals([1, 2, 3, 4, 5, 6, 7])

const permissions: WireKeys = Object.fromEntries(
  Object.entries(realmPermissionFields).map(([name, value]) => [name, Schema.optionalKey(value)]),
)

const UpdateDictData = Schema.Struct({
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

const events: WireKeys = {
  update: Schema.Union([
    propertySchema("name_changes_disabled", Schema.Boolean),
    propertySchema("require_unique_names", Schema.Boolean),
    propertySchema("enable_spectator_access", Schema.Boolean),
    propertySchema("default_code_block_language", Schema.String),
    propertySchema("inline_image_preview", Schema.Boolean),
    propertySchema("inline_url_embed_preview", Schema.Boolean),
    propertySchema("waiting_period_threshold", Count),
    propertySchema("name", Schema.NonEmptyString),
    propertySchema("emails_restricted_to_domains", Schema.Boolean),
    propertySchema("new_stream_announcements_stream_id", NamedChannel),
    propertySchema("signup_announcements_stream_id", NamedChannel),
    propertySchema("moderation_request_channel_id", NamedChannel),
    propertySchema("message_retention_days", Retention),
    propertySchema("message_content_delete_limit_seconds", Schema.NullOr(Count)),
    propertySchema("enable_read_receipts", Schema.Boolean),
    propertySchema("email_changes_disabled", Schema.Boolean),
    propertySchema("welcome_message_custom_text", Schema.String),
    propertySchema("avatar_changes_disabled", Schema.Boolean),
    propertySchema("default_language", Schema.NonEmptyString),
    ...Object.entries(furtherRealmKeys).map(([name, value]) => propertySchema(name, value)),
    propertySchema("create_public_stream_policy", LegacyPolicyNumber),
    propertySchema("create_private_stream_policy", LegacyPolicyNumber),
    propertySchema("create_web_public_stream_policy", LegacyPolicyNumber),
    propertySchema("user_group_edit_policy", LegacyPolicyNumber),
    propertySchema("wildcard_mention_policy", LegacyPolicyNumber),
  ]),
  update_dict: Schema.Union([
    opEvent("realm", "update_dict", { property: Schema.Literal("default"), data: UpdateDictData }),
    ...realmPictures.map((name) =>
      opEvent("realm", "update_dict", { property: Schema.Literal(name), data: Schema.Struct(realmPictureKeys[name]) }),
    ),
  ]),
  deactivated: opEvent("realm", "deactivated", { realm_id: Id }),
}

export const realmKind = wireKind(realmRows, {
  events,
  // The section `realm_user` holds the requester's own rights to create channels.
  sections: ["realm", "realm_user"],
  wireForm: (past, read) =>
    uniformType((body) => {
      const payload = read(body.payload)
      switch (payload.op) {
        case "update":
          return settingEvents(past, payload, isStored(body) ? body.width : 1, activeAtRow(past.activeAt, body))
        case "deactivated":
          return oneEvent({ type: "realm", op: "deactivated", realm_id: payload.realm_id })
        case "reactivated":
          return noEvents
      }
    }),
})
