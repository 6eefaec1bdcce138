/**
 * What permissions are judged by: the part of a realm that says who is what. The realm in memory is one; another is the
 * realm as it would be after a change, by which the change's audience is found before it is made.
 */
import type { UserSet } from "../../events/event.ts"
import type { ChannelId, UserId } from "../../ids.ts"
import type { GroupIndex } from "./group-index.ts"
import type { RealmSettings } from "./realm-settings.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"

/** Who is active at the moment that is asked about; values of permissions show nobody else. */
export type IsActive = (user: UserId) => boolean

export interface Rules {
  readonly settings: RealmSettings
  readonly users: ReadonlyMap<UserId, UserRecord>
  readonly channels: ReadonlyMap<ChannelId, ChannelRecord>
  readonly groups: GroupIndex
  readonly isActive: IsActive
  readonly isSubscribed: (channel: ChannelId, user: UserId) => boolean
  readonly subscribers: (channel: ChannelId) => UserSet
  /** Milliseconds since the Unix epoch, for the waiting period of full members. */
  readonly now: () => number
  /** What sight.ts has found by these rules, where they are those of one turn only. */
  readonly found?: Map<string, ReadonlyArray<UserId>>
}

/** The rules as they would be with some of them replaced: for one turn, because those that they are made of move on. */
export const withRules = (rules: Rules, changes: Partial<Rules>): Rules => ({
  settings: rules.settings,
  users: rules.users,
  channels: rules.channels,
  groups: rules.groups,
  isActive: rules.isActive,
  isSubscribed: rules.isSubscribed,
  subscribers: rules.subscribers,
  now: rules.now,
  found: new Map(),
  ...changes,
})
