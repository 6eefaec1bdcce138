/**
 * What an export is made without, because an attempt before had it, and when it ended it might not any more: else somebody who
 * opens and closes a channel again and again would have each attempt fail. It is kept with the row of the outbox.
 */
import * as Schema from "effect/Schema"
import { type ChannelId, idSchemas, type UserId } from "../../../ids.ts"
import { mayChangeRealm } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"

/** What an attempt had, and may not have. */
export interface LostAccess {
  /** And who was to read it; null: everybody, it was public. */
  readonly channels: ReadonlyMap<ChannelId, UserId | null>
  /** Those who do not allow it any more. */
  readonly people: ReadonlySet<UserId>
}

const Users = Schema.Array(idSchemas.user)

export const ExportOmissions = Schema.Struct({
  channels: Schema.Array(idSchemas.channel),
  /** Nothing is exported because they allow it. */
  people: Users,
  /** Nothing is exported of channels that they have made. */
  makers: Users,
  /** Those who had to do with what was lost, once. */
  named: Users,
})
export type ExportOmissions = typeof ExportOmissions.Type

export const noOmissions: ExportOmissions = { channels: [], people: [], makers: [], named: [] }
export const noLostAccess: LostAccess = { channels: new Map(), people: new Set() }

export const hasLostNothing = ({ channels, people }: LostAccess): boolean => channels.size === 0 && people.size === 0

/**
 * With what was lost by an attempt: these channels, and these people. Who has to do with it a second time could go on for as long
 * as they have channels: of who has made the channel, all that they have made are left out then, and of who was to read it, what
 * only they may read. Administrators make most channels, and may end an export anyway.
 */
export const withLostAccess = (
  realm: Realm,
  leftOut: ExportOmissions,
  { channels, people }: LostAccess,
): ExportOmissions => {
  const before = new Set(leftOut.named)
  const named = new Set(leftOut.named)
  const [without, makers] = [new Set([...leftOut.people, ...people]), new Set(leftOut.makers)]
  const name = (id: UserId, again: Set<UserId>): void => {
    if (before.has(id)) again.add(id)
    named.add(id)
  }
  for (const [id, reader] of channels) {
    if (reader !== null) name(reader, without)
    const makerId = realm.channels.get(id)?.creator_id ?? null
    const maker = makerId === null ? undefined : realm.users.get(makerId)
    if (maker !== undefined && !mayChangeRealm(maker)) name(maker.id, makers)
  }
  return {
    channels: [...new Set([...leftOut.channels, ...channels.keys()])],
    people: [...without],
    makers: [...makers],
    named: [...named],
  }
}
