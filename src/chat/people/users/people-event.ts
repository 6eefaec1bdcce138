/** The events about users. */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { EventBody } from "../../../events/event.ts"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { type FaceRealm, pictureOf } from "../../ground/faces/face-urls.ts"
import { wireKind } from "../../ground/kinds/event-kind.ts"
import { noEvents, oneEvent, requireStoredRow } from "../../ground/kinds/event-kind-helpers.ts"
import { type RealmUserPayload, realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { ProfileData } from "../../ground/profiles/profile-values.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { unknownName, type Viewer } from "../../ground/realm/email-addresses.ts"
import { strangersTo } from "../../ground/wire/receivers-who-do-not-know.ts"
import { PictureKeys, personWith, RoleNumber, wireUser } from "../../ground/wire/wire-person.ts"
import { wireUnknown } from "../../ground/wire/wire-unknown.ts"
import { Address, Id, opEvent } from "../../ground/wire/wire-values.ts"

/** A picture is a URL here for every client: the same event goes to its user, whose own picture is never left out. */
const changed = (realm: FaceRealm, payload: Extract<RealmUserPayload, { readonly op: "update" }>): JsonObject => {
  const { user_id } = payload
  if ("role" in payload) return { user_id, role: payload.role }
  if ("new_email" in payload) return { user_id, new_email: payload.new_email }
  if ("delivery_email" in payload) return { user_id, delivery_email: payload.delivery_email }
  if ("avatar_version" in payload)
    return { user_id, ...pictureOf(realm, { ...payload, id: user_id }), avatar_version: payload.avatar_version }
  if ("full_name" in payload) return { user_id, full_name: payload.full_name }
  if ("bot_owner_id" in payload) return { user_id, bot_owner_id: payload.bot_owner_id }
  if ("custom_profile_field" in payload) return { user_id, custom_profile_field: payload.custom_profile_field }
  if ("timezone" in payload) return { user_id, email: payload.email, timezone: payload.timezone }
  return { user_id, is_active: payload.is_active }
}

/**
 * A new user looks the same to everybody, because their address is visible until they hide it; and to guests, who are told of
 * somebody that was there before, as to any guest.
 */
const anybody: Viewer = { id: UserId(0), role: roles.guest }

const isToNamed = (body: EventBody): boolean => requireStoredRow(body).audience.kind === "users"

const active = { is_active: Schema.Literal(true) }
const changes: ReadonlyArray<WireKeys> = [
  { is_active: Schema.Boolean },
  { role: RoleNumber },
  { new_email: Address },
  // null: the receiver may no longer see the address.
  { delivery_email: Schema.NullOr(Address) },
  { ...PictureKeys, avatar_version: Id },
  { email: Address, timezone: Schema.String },
  { full_name: Schema.NonEmptyString },
  { bot_owner_id: Id },
  // null: they have none in it any more.
  { custom_profile_field: Schema.Struct({ id: Id, value: Schema.Null }) },
  {
    custom_profile_field: Schema.Struct({
      id: Id,
      value: Schema.NonEmptyString,
      rendered_value: Schema.optionalKey(Schema.String),
    }),
  },
]
const Changed = Schema.Union(changes.map((fields) => Schema.Struct({ user_id: Id, ...fields })))

export const realmUserKind = wireKind(realmUserRows, {
  events: {
    add: opEvent("realm_user", "add", { person: personWith({ ...active, profile_data: ProfileData }, active) }),
    update: opEvent("realm_user", "update", { person: Changed }),
    remove: opEvent("realm_user", "remove", {
      person: Schema.Struct({ user_id: Id, full_name: Schema.Literal(unknownName) }),
    }),
  },
  sections: ["realm_user"],
  wireForm: (past, read) => {
    const strangers = strangersTo(past, (body) => {
      const payload = read(body.payload)
      // Who comes to be known, and is not known any more, is told to those whom it concerns.
      if (payload.op === "remove" || (payload.op === "add" && isToNamed(body))) return null
      return { user: payload.op === "add" ? payload.user.id : payload.user_id }
    })
    return {
      personal: true,
      apart: strangers.to,
      variant: (body, receiver) => {
        const { gravatar, incompleteUsers } = receiver.rendering
        return strangers.isStranger(body, receiver) ? `? ${incompleteUsers}` : gravatar ? "g" : ""
      },
      wire: (body, receiver) => {
        const { gravatar, incompleteUsers } = receiver.rendering
        const payload = read(body.payload)
        const { op } = payload
        const isUnknown = strangers.isStranger(body, receiver)
        if (op === "remove")
          return oneEvent({ type: "realm_user", op, person: { user_id: payload.user_id, full_name: unknownName } })
        if (op === "update")
          return isUnknown ? noEvents : oneEvent({ type: "realm_user", op, person: changed(past, payload) })
        if (isUnknown && incompleteUsers) return noEvents
        const record = isUnknown ? wireUnknown(past, payload.user) : wireUser(past, payload.user, anybody, gravatar)
        const isHuman = isUnknown || !payload.user.is_bot
        const person = {
          ...record,
          is_active: true,
          ...(isHuman ? { profile_data: (isUnknown ? undefined : payload.profile_data) ?? {} } : {}),
        }
        return oneEvent({ type: "realm_user", op, person })
      },
    }
  },
})
