/**
 * Rows about presence. Nearly all events about it are ephemeral: only what a setting says of it is in the log, because it must
 * not be lost. Who does not show any more that they are here looks as if they had gone a while ago, to all who look from then on.
 */
import * as Schema from "effect/Schema"
import { toRealm, toServers } from "../../../events/audience.ts"
import type { NewRow } from "../../../events/step.ts"
import { idSchemas } from "../../../ids.ts"
import { rowKind } from "../../ground/kinds/event-kind.ts"
import { offlineSeconds, type PresenceTimes, presences } from "../../ground/presences/presences.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

const Payload = Schema.Struct({
  user_id: idSchemas.user,
  /** The API address. */
  email: Schema.String,
  /** Unix seconds; 0: never. */
  active: Schema.Int,
  connected: Schema.Int,
  /** When their account was made, and when this was so, in Unix milliseconds. */
  joined_at: Schema.Number,
  at: Schema.Number,
})
export type PresencePayload = typeof Payload.Type

export const presenceRows = rowKind({
  type: "presence",
  payload: Payload,
  changesRules: false,
  applyFunction: "apply_presence_v1",
  applyToProjection: (realm, { user_id, active, connected, at }) =>
    realm.part(presences).turn(user_id, { active, connected }, at),
})

export const presencePayload = (
  realm: Realm,
  user: UserRecord,
  times: PresenceTimes,
  now: number,
): PresencePayload => ({
  user_id: user.id,
  email: apiEmail(realm, user),
  ...times,
  joined_at: user.joined_at,
  at: now,
})

/** How much longer than it takes to be offline somebody seems to be gone who does not show that they are here. */
const goneSeconds = 100

/** The row of somebody who shows from now on that they are here, or shows it no more. No client hears of it where nobody shows it. */
export const shownRow = (realm: Realm, user: UserRecord, isShown: boolean): NewRow => {
  const seconds = unixSeconds(realm.now())
  const gone = seconds - offlineSeconds - goneSeconds
  const known = realm.part(presences).of(user.id) ?? { active: 0, connected: gone }
  const times = isShown
    ? { active: seconds, connected: seconds }
    : { active: Math.min(known.active, gone), connected: Math.min(known.connected, gone) }
  const audience = realm.settings.presence_disabled ? toServers : toRealm
  return presenceRows.change(presencePayload(realm, user, times, realm.now()), audience)
}
