/** The parameters of a register that its sections depend on. */

export interface SectionView {
  /** The names of the sections asked for; null: all. */
  readonly fetch: ReadonlySet<string> | null
  readonly gravatar: boolean
  readonly archivedChannels: boolean
  readonly deactivatedGroups: boolean
  readonly notificationNull: boolean
  /** The client shows empty topics by a name of its own. */
  readonly emptyTopicName: boolean
  readonly linkifierTemplates: boolean
  /** The client reads `user_settings` instead of the older copies at the top level. */
  readonly userSettingsObject: boolean
  /** `partial`: for big channels only some of the subscribers. */
  readonly includeSubscribers: boolean | "partial"
}

export const wants = ({ fetch }: Pick<SectionView, "fetch">, section: string): boolean =>
  fetch === null || fetch.has(section)
