/**
 * PATCH /realm: administrators change the organization's settings; only owners change how long messages are kept and
 * how people sign in. Every setting that register shows is a parameter. If the feature of a setting does not exist yet,
 * any value but the present one is refused, so that no client believes that it has changed something.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, badValue, type Checked, confusingVariables } from "../../../api/errors.ts"
import {
  boolean,
  type Decoded,
  integer,
  jsonOrText,
  mapped,
  oneOf,
  optional,
  type Param,
  text,
} from "../../../api/params.ts"
import { json, string } from "../../../api/shapes.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import { type Command, judgementOf } from "../../../events/command.ts"
import { ChannelId } from "../../../ids.ts"
import { isSameJson, type Json } from "../../../json.ts"
import { retentionDays } from "../../channels/channels/channel-params.ts"
import {
  type PermissionUpdate,
  permissionUpdateParam,
  requirePermissionUpdate,
} from "../../ground/permissions/permission-values.ts"
import {
  mayChangeRealm,
  mayKnowOf,
  maySetRetention,
  maySetSignIn,
  ranksTooLow,
} from "../../ground/permissions/permissions.ts"
import { badCharacterAt, isInvisible } from "../../ground/realm/domain-values.ts"
import { type RealmPermission, realmChoices, realmPermissionNames } from "../../ground/realm/permission-choices.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { longestWelcomeText, noChannel, type RealmSettings } from "../../ground/realm/realm-settings.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { findLanguage } from "../../text/markdown/rules/code-languages.ts"
import { furtherSettings, readFurtherSettings } from "./further-settings.ts"
import { limit, messageSettings, readMessageSettings } from "./message-settings.ts"
import { realmFields } from "./realm-section.ts"
import { judgeRealmChange } from "./realm-update.ts"
import { countExpiring, retentionNotices } from "./retention-notices.ts"
import { readSignInMethods, signInMethods } from "./sign-in-methods.ts"
import { unbuiltSettings } from "./unbuilt-settings.ts"

export const longestRealmName = 40
const longestDescription = 1000
/** The longest waiting period in days: a hundred years. */
const longestWaiting = 36_500

const name = mapped(text("name", { max: longestRealmName }), (raw) => {
  const name = raw.trim()
  if (isInvisible(name)) return Result.fail(badRequest("name cannot be blank"))
  return badCharacterAt(name) === undefined
    ? Result.succeed(name)
    : Result.fail(badRequest("Invalid name: it has a character that no name may have"))
})

type TopicsPolicy = RealmSettings["topics_policy"]
const policies: ReadonlyArray<TopicsPolicy> = ["allow_empty_topic", "disable_empty_topic"]

const topicsPolicy = oneOf(jsonOrText("topics_policy", string), policies)

const codeLanguage = mapped(jsonOrText("default_code_block_language", string, { max: 100 }), (word) =>
  word === "" || findLanguage(word) !== undefined
    ? Result.succeed(word)
    : Result.fail(badRequest("Invalid default_code_block_language")),
)

/** The retention of the organization, which unlike that of a channel cannot be inherited (null). */
const retention = mapped(retentionDays, (days) =>
  days === null ? Result.fail(badValue("message_retention_days", "realm_default")) : Result.succeed(days),
)

const permission = (setting: RealmPermission) => optional(permissionUpdateParam(setting))

const permissions = {
  can_access_all_users_group: permission("can_access_all_users_group"),
  can_add_custom_emoji_group: permission("can_add_custom_emoji_group"),
  can_add_subscribers_group: permission("can_add_subscribers_group"),
  can_create_bots_group: permission("can_create_bots_group"),
  can_create_groups: permission("can_create_groups"),
  can_create_private_channel_group: permission("can_create_private_channel_group"),
  can_create_public_channel_group: permission("can_create_public_channel_group"),
  can_create_web_public_channel_group: permission("can_create_web_public_channel_group"),
  can_create_write_only_bots_group: permission("can_create_write_only_bots_group"),
  can_delete_any_message_group: permission("can_delete_any_message_group"),
  can_delete_own_message_group: permission("can_delete_own_message_group"),
  can_invite_users_group: permission("can_invite_users_group"),
  can_manage_all_groups: permission("can_manage_all_groups"),
  can_manage_billing_group: permission("can_manage_billing_group"),
  can_mention_many_users_group: permission("can_mention_many_users_group"),
  can_move_messages_between_channels_group: permission("can_move_messages_between_channels_group"),
  can_move_messages_between_topics_group: permission("can_move_messages_between_topics_group"),
  can_resolve_topics_group: permission("can_resolve_topics_group"),
  can_set_delete_message_policy_group: permission("can_set_delete_message_policy_group"),
  can_set_topics_policy_group: permission("can_set_topics_policy_group"),
  can_summarize_topics_group: permission("can_summarize_topics_group"),
  create_multiuse_invite_group: permission("create_multiuse_invite_group"),
  direct_message_initiator_group: permission("direct_message_initiator_group"),
  direct_message_permission_group: permission("direct_message_permission_group"),
} satisfies Readonly<Record<RealmPermission, Param<PermissionUpdate | undefined>>>

type UnbuiltSetting = (typeof unbuiltSettings)[number]
/** The present values are short, and a request may have all of these settings. */
const longestUnbuilt = 1000
const unbuilt = Object.fromEntries(
  unbuiltSettings.map((setting) => [setting, optional(jsonOrText(setting, json, { max: longestUnbuilt }))]),
) as Readonly<Record<UnbuiltSetting, Param<Json | undefined>>>

const params = {
  name: optional(name),
  description: optional(text("description", { max: longestDescription })),
  waiting_period_threshold: optional(integer("waiting_period_threshold", { min: 0, max: longestWaiting })),
  topics_policy: optional(topicsPolicy),
  mandatory_topics: optional(boolean("mandatory_topics")),
  name_changes_disabled: optional(boolean("name_changes_disabled")),
  require_unique_names: optional(boolean("require_unique_names")),
  enable_spectator_access: optional(boolean("enable_spectator_access")),
  avatar_changes_disabled: optional(boolean("avatar_changes_disabled")),
  default_code_block_language: optional(codeLanguage),
  inline_image_preview: optional(boolean("inline_image_preview")),
  inline_url_embed_preview: optional(boolean("inline_url_embed_preview")),
  emails_restricted_to_domains: optional(boolean("emails_restricted_to_domains")),
  new_stream_announcements_stream_id: optional(integer("new_stream_announcements_stream_id")),
  signup_announcements_stream_id: optional(integer("signup_announcements_stream_id")),
  moderation_request_channel_id: optional(integer("moderation_request_channel_id")),
  message_retention_days: optional(retention),
  authentication_methods: signInMethods,
  welcome_message_custom_text: optional(text("welcome_message_custom_text", { max: longestWelcomeText })),
  move_messages_within_stream_limit_seconds: limit("move_messages_within_stream_limit_seconds"),
  move_messages_between_streams_limit_seconds: limit("move_messages_between_streams_limit_seconds"),
  email_changes_disabled: optional(boolean("email_changes_disabled")),
  ...messageSettings,
  ...furtherSettings,
  ...permissions,
  ...unbuilt,
}
type RealmPatch = Decoded<typeof params>

const unchanged = Result.succeed(undefined)

/** The forms of a value in requests that leave an unbuilt setting as it is. */
const sentForms = (setting: UnbuiltSetting, shown: Json): ReadonlyArray<Json> =>
  setting in realmChoices ? [shown, { new: shown }, { new: shown, old: shown }] : [shown]

const refuseUnbuilt = (realm: Realm, caller: Caller, wanted: RealmPatch, config: ConfigShape): Checked<undefined> => {
  const sent = unbuiltSettings.filter((setting) => wanted[setting] !== undefined)
  if (sent.length === 0) return unchanged
  const section = realmFields(realm, config, caller.origin)
  const other = sent.find((setting) => {
    const value = wanted[setting]
    const shown = section[`realm_${setting}`]
    return value !== undefined && !sentForms(setting, shown ?? null).some((form) => isSameJson(form, value))
  })
  return other === undefined ? unchanged : Result.fail(badRequest(`The setting '${other}' cannot be changed yet`))
}

const findTopicsPolicy = ({ topics_policy, mandatory_topics }: RealmPatch): Checked<TopicsPolicy | undefined> => {
  if (mandatory_topics === undefined) return Result.succeed(topics_policy)
  const older: TopicsPolicy = mandatory_topics ? "disable_empty_topic" : "allow_empty_topic"
  return topics_policy === undefined || topics_policy === older
    ? Result.succeed(older)
    : Result.fail(confusingVariables("topics_policy", "mandatory_topics"))
}

type ChannelKey =
  | "new_stream_announcements_stream_id"
  | "signup_announcements_stream_id"
  | "moderation_request_channel_id"

/** Refuses a setting's new channel if the actor may not know of it or it is archived; the present one may stay. */
const requireNamed = (realm: Realm, actor: UserRecord, wanted: RealmPatch, setting: ChannelKey): Checked<undefined> => {
  const { [setting]: id = noChannel } = wanted
  if (id === noChannel || id === realm.settings[setting]) return unchanged
  const channel = realm.channels.get(ChannelId(id))
  if (channel === undefined || channel.is_archived || !mayKnowOf(realm, actor, channel))
    return Result.fail(badRequest("Invalid channel ID"))
  return setting === "moderation_request_channel_id" && !channel.is_private
    ? Result.fail(badRequest("Moderation request channel must be private."))
    : unchanged
}

const readPermissions = (realm: Realm, wanted: RealmPatch): Checked<Partial<RealmSettings>> => {
  let changes: Partial<RealmSettings> = {}
  for (const setting of realmPermissionNames) {
    const update = wanted[setting]
    if (update === undefined) continue
    const value = requirePermissionUpdate(realm, setting, realmChoices[setting], realm.settings[setting], update)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    if (value.success !== undefined) changes = { ...changes, [setting]: value.success }
  }
  return Result.succeed(changes)
}

/** The requested values of the settings, as they are stored; or the first refusal. Settings not named are absent. */
const readChanges = (
  realm: Realm,
  actor: UserRecord,
  caller: Caller,
  wanted: RealmPatch,
  config: ConfigShape,
): Checked<Partial<RealmSettings>> =>
  Result.gen(function* () {
    const { message_retention_days, authentication_methods, enable_spectator_access } = wanted
    const isRefused =
      !mayChangeRealm(actor) ||
      (message_retention_days !== undefined && !maySetRetention(actor)) ||
      (authentication_methods !== undefined && !maySetSignIn(actor))
    if (isRefused) return yield* Result.fail(ranksTooLow(actor))
    yield* refuseUnbuilt(realm, caller, wanted, config)
    if (enable_spectator_access === true && !realm.settings.enable_spectator_access && !config.webPublicChannels)
      return yield* Result.fail(badRequest("Web-public channels are not enabled."))
    yield* requireNamed(realm, actor, wanted, "new_stream_announcements_stream_id")
    yield* requireNamed(realm, actor, wanted, "signup_announcements_stream_id")
    yield* requireNamed(realm, actor, wanted, "moderation_request_channel_id")
    const plain: Readonly<Record<string, Json | undefined>> = {
      name: wanted.name,
      description: wanted.description,
      topics_policy: yield* findTopicsPolicy(wanted),
      waiting_period_days: wanted.waiting_period_threshold,
      name_changes_disabled: wanted.name_changes_disabled,
      require_unique_names: wanted.require_unique_names,
      enable_spectator_access,
      avatar_changes_disabled: wanted.avatar_changes_disabled,
      default_code_block_language: wanted.default_code_block_language,
      inline_image_preview: wanted.inline_image_preview,
      inline_url_embed_preview: wanted.inline_url_embed_preview,
      emails_restricted_to_domains: wanted.emails_restricted_to_domains,
      new_stream_announcements_stream_id: wanted.new_stream_announcements_stream_id,
      signup_announcements_stream_id: wanted.signup_announcements_stream_id,
      moderation_request_channel_id: wanted.moderation_request_channel_id,
      message_retention_days,
      ...(yield* readSignInMethods(realm.settings, authentication_methods, config)),
      welcome_message_custom_text: wanted.welcome_message_custom_text,
      email_changes_disabled: wanted.email_changes_disabled,
      ...(yield* readMessageSettings(wanted)),
      ...(yield* readFurtherSettings(realm.settings, wanted, config)),
      move_messages_within_stream_limit_seconds: wanted.move_messages_within_stream_limit_seconds,
      move_messages_between_streams_limit_seconds: wanted.move_messages_between_streams_limit_seconds,
    }
    const named = Object.entries(plain).filter(([, value]) => value !== undefined)
    return { ...Object.fromEntries(named), ...(yield* readPermissions(realm, wanted)) }
  })

/** `older`: how many messages are older than they may be by the new retention. */
const changeRealm = (caller: Caller, wanted: RealmPatch, config: ConfigShape, older: number): Command<Realm, void> => ({
  judge: (realm) => {
    const checked = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      return { actor, changes: yield* readChanges(realm, actor, caller, wanted, config) }
    })
    return judgementOf(checked, ({ actor, changes }) => {
      const { message_retention_days: days } = changes
      const isOther = days !== undefined && days !== realm.settings.message_retention_days
      return judgeRealmChange(realm, changes, config, isOther ? retentionNotices(realm, actor, days, older) : [])
    })
  },
})

export const patchRealm = userEndpoint({
  method: "PATCH",
  path: "/realm",
  fresh: "onRefusal",
  summary: "Changes settings of the organization.",
  params,
  reply: noFields,
  errors: [
    "REQUEST_VARIABLE_INVALID",
    "UNAUTHORIZED_PRINCIPAL",
    "EXPECTATION_MISMATCH",
    "SYSTEM_GROUP_REQUIRED",
    "REQUEST_CONFUSING_VAR",
  ],
  run: Effect.fnUntraced(function* (caller, { params: wanted }) {
    const realms = yield* Realms
    const config = yield* Config
    const older = yield* countExpiring(caller, wanted.message_retention_days)
    yield* realms.submit(caller.realm, changeRealm(caller, wanted, config, older))
    return dataReply()
  }),
})
