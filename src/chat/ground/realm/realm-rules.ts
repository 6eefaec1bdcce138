/**
 * The part of a realm that permissions depend on. The realm in memory implements it; `withChangedRules` makes the realm as it
 * would be after a change, to find the audience of the change before it is committed.
 */
import type { UserSet } from "../../../events/event.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import type { GroupIndex } from "./group-index.ts"
import type { RealmSettings } from "./realm-settings.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"

/** Whether a user is active. Deactivated users are not shown in values of permissions. */
export type IsActive = (user: UserId) => boolean

export interface Rules {
  readonly settings: RealmSettings
  readonly users: ReadonlyMap<UserId, UserRecord>
  readonly channels: ReadonlyMap<ChannelId, ChannelRecord>
  readonly groups: GroupIndex
  readonly isActive: IsActive
  readonly isSubscribed: (channel: ChannelId, user: UserId) => boolean
  readonly subscribers: (channel: ChannelId) => UserSet
  /** Results that channel-visibility.ts keeps for as long as these rules live; absent for the realm itself, which changes. */
  readonly found?: Map<string, ReadonlyArray<UserId>>
}

/** Rules with some parts replaced. They are valid only until the realm that they are made of changes. */
export const withChangedRules = (rules: Rules, changes: Partial<Rules>): Rules => ({
  settings: rules.settings,
  users: rules.users,
  channels: rules.channels,
  groups: rules.groups,
  isActive: rules.isActive,
  isSubscribed: rules.isSubscribed,
  subscribers: rules.subscribers,
  found: new Map(),
  ...changes,
})

const dayMilliseconds = 24 * 3600 * 1000

/** When a member has waited for long enough to be a full member, in milliseconds since the Unix epoch; 0: nobody has to wait. */
export const fullMemberAt = (
  { waiting_period_days }: Pick<RealmSettings, "waiting_period_days">,
  { joined_at }: Pick<UserRecord, "joined_at">,
): number => (waiting_period_days === 0 ? 0 : joined_at + waiting_period_days * dayMilliseconds)
