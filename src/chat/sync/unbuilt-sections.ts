/** The sections of register whose features do not exist yet: what they hold is the same for everybody. */
import type { JsonObject } from "../../json.ts"
import { emptySection, type Section, section } from "../kinds/section.ts"

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

/** A client that asks by name for both forms of muted topics reads the newer one. */
const mutedTopics: Section = {
  ...emptySection("muted_topics", { muted_topics: [] }),
  isWanted: ({ fetch }) => fetch === null || (fetch.has("muted_topics") && !fetch.has("user_topic")),
}

const presence = section("presence", ({ now }) => ({
  presences: {},
  presence_last_update_id: -1,
  server_timestamp: now / 1000,
}))

export const unbuiltSections: ReadonlyArray<Section> = [
  mutedTopics,
  presence,
  emptySection("alert_words", { alert_words: [] }),
  emptySection("custom_profile_fields", { custom_profile_fields: [], custom_profile_field_types: fieldTypes }),
  emptySection("drafts", { drafts: [] }),
  emptySection("giphy", { giphy_api_key: "" }),
  emptySection("muted_users", { muted_users: [] }),
  emptySection("navigation_views", { navigation_views: [] }),
  emptySection("onboarding_steps", { onboarding_steps: [], navigation_tour_video_url: null }),
  emptySection("push_device", { push_devices: {} }),
  emptySection("realm_domains", { realm_domains: [] }),
  emptySection("realm_embedded_bots", { realm_embedded_bots: [] }),
  emptySection("realm_emoji", { realm_emoji: {} }),
  emptySection("realm_filters", { realm_filters: [] }),
  emptySection("realm_incoming_webhook_bots", { realm_incoming_webhook_bots: [] }),
  emptySection("realm_linkifiers", { realm_linkifiers: [] }),
  emptySection("realm_playgrounds", { realm_playgrounds: [] }),
  emptySection("reminders", { reminders: [] }),
  emptySection("scheduled_messages", { scheduled_messages: [] }),
  emptySection("starred_messages", { starred_messages: [] }),
  emptySection("stop_words", { stop_words: [] }),
  emptySection("user_status", { user_status: {} }),
  emptySection("user_topic", { user_topics: [] }),
  emptySection("video_calls", { has_zoom_token: false }),
]
