/**
 * Settings of an organization whose features do not exist yet, by their names without `realm_`. Register shows their
 * fixed values (realm-section.ts); PATCH /realm refuses any other. When a feature is built, its settings are removed
 * from here.
 */
export const unbuiltSettings = [
  "default_language",
  "digest_emails_enabled",
  "digest_weekday",
  "disallow_disposable_email_addresses",
  "enable_guest_user_dm_warning",
  "enable_guest_user_indicator",
  "giphy_rating",
  "invite_required",
  "jitsi_server_url",
  "message_content_allowed_in_email_notifications",
  "org_type",
  "presence_disabled",
  "require_e2ee_push_notifications",
  "send_welcome_emails",
  "video_chat_provider",
  "want_advertise_in_communities_directory",
  "zulip_update_announcements_stream_id",
] as const
