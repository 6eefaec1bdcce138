/** The parameters of a register that its sections depend on. */
import type { Capabilities } from "../../../events/client-capabilities.ts"

export interface SectionView extends Capabilities {
  /** The names of the sections asked for; null: all. */
  readonly fetch: ReadonlySet<string> | null
  readonly gravatar: boolean
  /** `partial`: for big channels only some of the subscribers. */
  readonly includeSubscribers: boolean | "partial"
  /** Presences by id, not by address; and of how many days, if the client says so. */
  readonly slimPresence: boolean
  readonly presenceDays: number | undefined
}

export const wants = ({ fetch }: Pick<SectionView, "fetch">, section: string): boolean =>
  fetch === null || fetch.has(section)
