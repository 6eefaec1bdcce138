/** What a client asks for at register, as far as the sections depend on it. */

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
