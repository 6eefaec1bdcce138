/**
 * What a client asks for at register, as far as the sections depend on it; and which sections the rows of each type
 * change, so that a queue begins exactly where its sections end (I13). Used by register and by the sections.
 */

export interface SectionView {
  /** null: every section. */
  readonly fetch: ReadonlySet<string> | null
  readonly gravatar: boolean
  readonly archivedChannels: boolean
  readonly deactivatedGroups: boolean
  readonly notificationNull: boolean
  /** The client reads `user_settings` instead of the older copies of it. */
  readonly userSettingsObject: boolean
  /** `partial`: of big channels, some subscribers only. */
  readonly includeSubscribers: boolean | "partial"
}

export const wants = ({ fetch }: Pick<SectionView, "fetch">, section: string): boolean =>
  fetch === null || fetch.has(section)

/** Older copies of a user's settings, at the top level of the answer. */
export const olderSettings = ["update_display_settings", "update_global_notifications"] as const

/**
 * Which sections of the projection a type of rows changes. Who is in a group follows from people's roles, but clients
 * are told of it by rows of its own.
 */
const changes: ReadonlyMap<string, ReadonlyArray<string>> = new Map([
  // The requester's own rights to create channels stand with the people.
  ["realm", ["realm", "realm_user"]],
  ["realm_user", ["realm_user"]],
  ["user_group", ["realm_user_groups"]],
  ["channel_folder", ["channel_folders"]],
  ["default_stream_groups", ["default_stream_groups"]],
  ["realm_bot", ["realm_bot"]],
  ["user_settings", ["user_settings", ...olderSettings]],
  ["default_streams", ["default_streams"]],
  ["stream", ["stream", "subscription"]],
  ["subscription", ["stream", "subscription"]],
])

/** Who has the whole of a user's settings misses nothing without the older copies. */
const changedBy = (view: SectionView, type: string): ReadonlyArray<string> =>
  type === "user_settings" && (view.userSettingsObject || wants(view, "user_settings"))
    ? ["user_settings"]
    : (changes.get(type) ?? [])

/** The types of rows whose effect a reply's sections hold. */
export const containedTypes = (view: SectionView): ReadonlyArray<string> =>
  [...changes.keys()].filter((type) => changedBy(view, type).some((section) => wants(view, section)))

/** Whether a type changes both sections that a reply carries and sections that it does not. */
export const isSplit = (view: SectionView, type: string): boolean => {
  const wanted = changedBy(view, type).map((section) => wants(view, section))
  return wanted.includes(true) && wanted.includes(false)
}
