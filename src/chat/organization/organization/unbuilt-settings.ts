/**
 * Settings of an organization whose features do not exist yet, by their names without `realm_`. Register shows their
 * fixed values (realm-section.ts); PATCH /realm refuses any other. When a feature is built, its settings are removed
 * from here.
 */
export const unbuiltSettings = ["invite_required", "zulip_update_announcements_stream_id"] as const
