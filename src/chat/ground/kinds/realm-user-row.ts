/**
 * Rows about users: new, deactivated and reactivated ones, their roles and names, what they have in profile fields, and who
 * sees which address of theirs.
 */
import * as Schema from "effect/Schema"
import { type ChannelId, idSchemas, type Position, type UserId } from "../../../ids.ts"
import { presences } from "../presences/presences.ts"
import { ProfileData, profileValues } from "../profiles/profile-values.ts"
import { guestContacts } from "../realm/acquaintance/acquaintance.ts"
import { fold, type Role, roleNumbers, roles } from "../realm/domain-values.ts"
import type { Realm } from "../realm/realm.ts"
import { UserRecord } from "../realm/records.ts"
import { rowKind } from "./event-kind.ts"
import { userStatuses } from "./user-statuses.ts"

const update = { op: Schema.Literal("update"), user_id: idSchemas.user }

export const RealmUserPayload = Schema.Union([
  /** `profile_data`: what somebody has in profile fields of whom limited guests come to know; absent: nothing. */
  Schema.Struct({ op: Schema.Literal("add"), user: UserRecord, profile_data: Schema.optionalKey(ProfileData) }),
  /** Only informs limited guests: they know of this user no more. */
  Schema.Struct({ op: Schema.Literal("remove"), user_id: idSchemas.user }),
  Schema.Struct({ ...update, is_active: Schema.Literal(false) }),
  /** A reactivated user: the role is the one they had, and they are subscribed to these channels again. */
  Schema.Struct({ ...update, is_active: Schema.Literal(true), channel_ids: Schema.Array(idSchemas.channel) }),
  Schema.Struct({ ...update, role: Schema.Literals(roleNumbers) }),
  Schema.Struct({ ...update, full_name: Schema.String }),
  /** A bot has another owner. */
  Schema.Struct({ ...update, bot_owner_id: idSchemas.user }),
  /** A value of null: the user has none in this field any more. */
  Schema.Struct({
    ...update,
    custom_profile_field: Schema.Struct({
      id: Schema.Number,
      value: Schema.NullOr(Schema.String),
      rendered_value: Schema.optionalKey(Schema.String),
    }),
  }),
  /** This and the next two only inform: the user shows their real address to more people or to fewer. */
  Schema.Struct({ ...update, new_email: Schema.String }),
  /**
   * Another picture, of which the row `user_avatar` is, too. `email`: the API address, which is the same for all viewers: the
   * picture may be made from it. `avatar`: as in the record; absent, and in rows of older programs: there is none.
   */
  Schema.Struct({
    ...update,
    avatar_version: Schema.Number,
    email: Schema.String,
    avatar: Schema.optionalKey(Schema.NullOr(Schema.String)),
  }),
  Schema.Struct({ ...update, delivery_email: Schema.NullOr(Schema.String) }),
  /** Only informs: the time zone is one of the user's own settings. `email`: the API address. */
  Schema.Struct({ ...update, timezone: Schema.String, email: Schema.String }),
])
export type RealmUserPayload = typeof RealmUserPayload.Type

/** A deactivated user's new role is an empty span: it is never in force, and is the role that they come back with. */
const changeRole = (realm: Realm, id: UserId, role: Role, position: Position): void => {
  const closed = realm.isActive(id) ? null : position
  realm.roles.close(id, position)
  realm.roles.add(id, role, { opened: position, closed })
  const user = realm.users.get(id)
  if (user !== undefined) realm.setUser({ ...user, role })
  if (role !== roles.guest) realm.part(guestContacts).forget(id)
}

const comeBack = (realm: Realm, id: UserId, channels: Iterable<ChannelId>, position: Position): void => {
  const role = realm.roles.last(id)?.role
  if (role !== undefined) realm.roles.add(id, role, { opened: position, closed: null })
  for (const channel of channels) realm.subscriptions.add(channel, id, { opened: position, closed: null })
}

const leave = (realm: Realm, id: UserId, position: Position): void => {
  realm.roles.close(id, position)
  realm.part(presences).leave(id)
  for (const channel of realm.subscriptions.channelsEver(id)) {
    if (realm.isSubscribed(channel, id)) realm.subscriptions.close(channel, id, position)
  }
}

const change = (realm: Realm, id: UserId, changes: Partial<UserRecord>): void => {
  const user = realm.users.get(id)
  if (user !== undefined) realm.setUser({ ...user, ...changes })
}

const applyToProjection = (realm: Realm, payload: RealmUserPayload, position: Position): void => {
  if (payload.op === "add") {
    realm.setUser(payload.user)
    realm.roles.add(payload.user.id, payload.user.role, { opened: position, closed: null })
    // Whoever does not show when they are here is away, for older clients. Bots have no status.
    if (!payload.user.settings.presence_enabled && !payload.user.is_bot)
      realm.part(userStatuses).set(payload.user.id, { away: true })
  } else if ("role" in payload) changeRole(realm, payload.user_id, payload.role, position)
  else if ("channel_ids" in payload) comeBack(realm, payload.user_id, payload.channel_ids, position)
  else if ("is_active" in payload) leave(realm, payload.user_id, position)
  else if ("full_name" in payload) change(realm, payload.user_id, { full_name: payload.full_name })
  else if ("bot_owner_id" in payload) change(realm, payload.user_id, { bot_owner_id: payload.bot_owner_id })
  else if ("custom_profile_field" in payload) {
    const { id, value, ...rendered } = payload.custom_profile_field
    realm.part(profileValues).set(id, payload.user_id, value === null ? null : { value, ...rendered })
  }
  // Lists of presences have people by their addresses.
  if (payload.op === "update") realm.part(presences).lists.rewrite(payload.user_id)
}

export const realmUserRows = rowKind({
  type: "realm_user",
  payload: RealmUserPayload,
  changesRules: true,
  applyFunction: "apply_realm_user_v3",
  applyToProjection,
  derive: (payload) => (payload.op === "add" ? { email_folded: fold(payload.user.email) } : {}),
  shutsOut: (payload) =>
    payload.op === "update" && "is_active" in payload && !payload.is_active
      ? { who: payload.user_id, reason: "unauthorized" }
      : undefined,
})
