/**
 * The state that clients fetch with register, by section (contract 3.2): each is named like the event type that keeps
 * it up to date. All sections of a reply are taken from the projection in one turn.
 */
import type { ConfigShape } from "../../config.ts"
import { UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { isGuest, mayCreateChannel } from "../permissions.ts"
import type { Realm } from "../realm.ts"
import type { UserRecord } from "../records.ts"
import { ownOrigin } from "../server-settings.ts"
import { roles } from "../values.ts"
import { avatarUrl, wirePerson } from "../wire-records.ts"
import { type ChannelView, streamSection, subscriptionSection } from "./channel-sections.ts"
import { realmSection } from "./realm-section.ts"

/** What a client asks for, as far as sections depend on it. */
export interface SectionView extends ChannelView {
  /** null: every section. */
  readonly fetch: ReadonlySet<string> | null
  readonly gravatar: boolean
}

export const wants = ({ fetch }: SectionView, section: string): boolean => fetch === null || fetch.has(section)

/** Which sections of the projection a type of rows changes. */
const changes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  ["realm_user", ["realm_user"]],
  ["stream", ["stream", "subscription"]],
  ["subscription", ["stream", "subscription"]],
])

/** The types of rows whose effect a reply's sections hold. */
export const containedTypes = (view: SectionView): ReadonlyArray<string> =>
  [...changes].filter(([, sections]) => sections.some((section) => wants(view, section))).map(([type]) => type)

/** Whether a type changes both sections that a reply carries and sections that it does not. */
export const isSplit = (view: SectionView, type: string): boolean => {
  const sections = changes.get(type) ?? []
  return sections.some((section) => wants(view, section)) && !sections.every((section) => wants(view, section))
}

/** Features that do not exist yet: what they hold is the same for everybody. */
const emptySections: Readonly<Record<string, JsonObject>> = {
  alert_words: { alert_words: [] },
  channel_folders: { channel_folders: [] },
  custom_profile_fields: { custom_profile_fields: [], custom_profile_field_types: {} },
  default_stream_groups: { realm_default_stream_groups: [] },
  drafts: { drafts: [] },
  giphy: { giphy_api_key: "" },
  muted_users: { muted_users: [] },
  navigation_views: { navigation_views: [] },
  onboarding_steps: { onboarding_steps: [], navigation_tour_video_url: null },
  push_device: { push_devices: {} },
  realm_domains: { realm_domains: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_emoji: { realm_emoji: {} },
  realm_filters: { realm_filters: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  realm_linkifiers: { realm_linkifiers: [] },
  realm_playgrounds: { realm_playgrounds: [] },
  reminders: { reminders: [] },
  saved_snippets: { saved_snippets: [] },
  scheduled_messages: { scheduled_messages: [] },
  starred_messages: { starred_messages: [] },
  stop_words: { stop_words: [] },
  user_status: { user_status: {} },
  user_topic: { user_topics: [] },
  video_calls: { has_zoom_token: false },
}

/** Until read state exists every message counts as read. */
const nothingUnread: JsonObject = {
  unread_msgs: { count: 0, pms: [], huddles: [], streams: [], mentions: [], old_unreads_missing: false },
}

const member = (user: UserRecord, gravatar: boolean): JsonObject => ({
  ...wirePerson(user, gravatar),
  ...(user.is_bot ? {} : { profile_data: {} }),
})

const ownKeys = (realm: Realm, user: UserRecord, gravatar: boolean, now: number): JsonObject => {
  const avatar = avatarUrl(user, gravatar)
  const mayCreatePublic = mayCreateChannel(realm, user, false, now)
  const mayCreatePrivate = mayCreateChannel(realm, user, true, now)
  return {
    user_id: user.id,
    email: user.email,
    delivery_email: user.email,
    full_name: user.full_name,
    avatar_source: "G",
    avatar_url: avatar,
    avatar_url_medium: avatar === null ? null : `${avatar}&s=500`,
    is_admin: user.role <= roles.administrator,
    is_owner: user.role === roles.owner,
    is_moderator: user.role <= roles.moderator,
    is_guest: isGuest(user),
    can_create_streams: mayCreatePublic || mayCreatePrivate,
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: false,
    can_invite_others_to_realm: false,
  }
}

const userSection = (realm: Realm, user: UserRecord, gravatar: boolean, now: number): JsonObject => {
  const active: Array<JsonObject> = []
  const others: Array<JsonObject> = []
  for (const each of realm.users.values()) {
    const list = realm.isActive(UserId(each.id)) ? active : others
    list.push(member(each, gravatar))
  }
  return {
    realm_users: active,
    realm_non_active_users: others,
    cross_realm_bots: [],
    ...ownKeys(realm, user, gravatar, now),
  }
}

/** A client that asks by name for both forms of muted topics reads the newer one. */
const mutedTopics = ({ fetch }: SectionView): JsonObject =>
  fetch === null || (fetch.has("muted_topics") && !fetch.has("user_topic")) ? { muted_topics: [] } : {}

/** Every section a client asked for but what only the database knows. `now`: milliseconds since the Unix epoch. */
export const takeSections = (
  realm: Realm,
  config: ConfigShape,
  user: UserRecord,
  view: SectionView,
  now: number,
): JsonObject => {
  const { gravatar } = view
  const empty = Object.entries(emptySections).flatMap(([section, keys]) =>
    wants(view, section) ? Object.entries(keys) : [],
  )
  return {
    ...Object.fromEntries(empty),
    ...mutedTopics(view),
    ...(wants(view, "message") && wants(view, "update_message_flags") ? nothingUnread : {}),
    ...(wants(view, "presence") ? { presences: {}, presence_last_update_id: -1, server_timestamp: now / 1000 } : {}),
    ...(wants(view, "realm") ? realmSection(realm, config, ownOrigin(config)) : {}),
    ...(wants(view, "realm_user") ? userSection(realm, user, gravatar, now) : {}),
    ...(wants(view, "subscription") ? subscriptionSection(realm, user, view) : {}),
    ...(wants(view, "stream") ? streamSection(realm, user, view) : {}),
  }
}
