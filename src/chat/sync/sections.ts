/**
 * The state that clients fetch with register, by section (contract 3.2): each is named like the event type that keeps
 * it up to date. All sections of a reply are taken from the projection in one turn, as members of the answer's text.
 */
import type { ConfigShape } from "../../config.ts"
import type { JsonObject } from "../../json.ts"
import { wireDefaultGroups } from "../channels/channel-event.ts"
import { keptFor, member, membersOf } from "../kinds/section-text.ts"
import { type SectionView, wants } from "../kinds/section-view.ts"
import { realmSection } from "../organization/realm-section.ts"
import { isGuest } from "../permissions/permissions.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { defaultChannels, streamSection, subscriptionSection } from "../subscriptions/channel-sections.ts"
import { listGroups } from "../user-groups/groups.ts"
import { botSection } from "../users/bot-section.ts"
import { peopleSection } from "../users/people-section.ts"
import { settingsDefaults, settingsSections } from "../users/settings-section.ts"
import { wireFolder } from "../wire/wire-records.ts"

/** Whose state is taken, and when. */
export interface SectionSource {
  readonly realm: Realm
  readonly config: ConfigShape
  /** The address that clients use to reach this server, without a trailing slash. */
  readonly origin: string
  /** null: a visitor without an account. */
  readonly user: UserRecord | null
  /** Milliseconds since the Unix epoch. */
  readonly now: number
}

type Members = ReadonlyArray<string>

const fieldTypeNames = {
  SHORT_TEXT: "Short text",
  LONG_TEXT: "Paragraph",
  SELECT: "List of options",
  DATE: "Date",
  URL: "Link",
  USER: "Users",
  EXTERNAL_ACCOUNT: "External account",
  PRONOUNS: "Pronouns",
}
const fieldTypes: JsonObject = Object.fromEntries(
  Object.entries(fieldTypeNames).map(([type, name], index) => [type, { id: index + 1, name }]),
)

/** Features that do not exist yet: what they hold is the same for everybody. */
const emptySections: Readonly<Record<string, JsonObject>> = {
  alert_words: { alert_words: [] },
  custom_profile_fields: { custom_profile_fields: [], custom_profile_field_types: fieldTypes },
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
  realm_user_settings_defaults: settingsDefaults,
  reminders: { reminders: [] },
  saved_snippets: { saved_snippets: [] },
  scheduled_messages: { scheduled_messages: [] },
  starred_messages: { starred_messages: [] },
  stop_words: { stop_words: [] },
  user_status: { user_status: {} },
  user_topic: { user_topics: [] },
  video_calls: { has_zoom_token: false },
}
const emptyMembers: ReadonlyMap<string, Members> = new Map(
  Object.entries(emptySections).map(([section, fields]) => [section, membersOf(fields)]),
)

const emptyFor = (view: SectionView): Members =>
  [...emptyMembers].flatMap(([section, members]) => (wants(view, section) ? members : []))

/** A client that asks by name for both forms of muted topics reads the newer one. */
const mutedTopics = ({ fetch }: SectionView): JsonObject =>
  fetch === null || (fetch.has("muted_topics") && !fetch.has("user_topic")) ? { muted_topics: [] } : {}

/** Until read state exists every message counts as read. */
const nothingUnread: JsonObject = {
  unread_msgs: { count: 0, pms: [], huddles: [], streams: [], mentions: [], old_unreads_missing: false },
}

/**
 * One variant for each address that the server is reached by; whoever makes up more of them pays for it alone. Who is
 * deactivated is not shown in permissions.
 */
const keptRealm = keptFor<Members>(["realm", "realm_user"], 4)
const keptGroups = keptFor<Members>(["realm", "realm_user", "user_group"], 2)

const groupSection = (realm: Realm, { deactivatedGroups }: SectionView): Members => {
  const write = () => [member("realm_user_groups", listGroups(realm, deactivatedGroups))]
  // Time makes full members, where there is something to wait for.
  return realm.settings.waiting_period_days > 0 ? write() : keptGroups(realm, String(deactivatedGroups), write)
}

/** Told to the same people as the default channels. */
const defaultGroups = (realm: Realm, user: UserRecord | null): JsonObject => ({
  realm_default_stream_groups: user === null || isGuest(user) ? [] : wireDefaultGroups(realm.defaultGroups),
})

const folderSection = (realm: Realm): JsonObject => ({
  channel_folders: [...realm.folders.values()].sort((a, b) => a.order - b.order).map(wireFolder),
})

/** Every section a client asked for but what only the database knows. */
export const takeSections = (source: SectionSource, view: SectionView): Members => {
  const { realm, config, origin, user, now } = source
  const when = (section: string, take: () => Members): Members => (wants(view, section) ? take() : [])
  return [
    ...emptyFor(view),
    ...membersOf({
      ...mutedTopics(view),
      ...(wants(view, "message") && wants(view, "update_message_flags") ? nothingUnread : {}),
      ...(wants(view, "presence") ? { presences: {}, presence_last_update_id: -1, server_timestamp: now / 1000 } : {}),
      ...settingsSections(user, view),
      ...(wants(view, "default_streams") ? defaultChannels(realm, user) : {}),
      ...(wants(view, "default_stream_groups") ? defaultGroups(realm, user) : {}),
      ...(wants(view, "channel_folders") ? folderSection(realm) : {}),
      ...(wants(view, "realm_bot") ? botSection(realm, user, config.secret) : {}),
    }),
    ...when("realm", () => keptRealm(realm, origin, () => membersOf(realmSection(realm, config, origin)))),
    ...when("realm_user", () => peopleSection(realm, config, { viewer: user, gravatar: view.gravatar })),
    ...when("realm_user_groups", () => groupSection(realm, view)),
    ...when("subscription", () => subscriptionSection(realm, user, view)),
    ...when("stream", () => streamSection(realm, user, view)),
  ]
}
