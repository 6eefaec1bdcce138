/** What a limited guest reads of people of whom they do not know (realm/acquaintance): the same of each, but for the id. */
import type { JsonObject } from "../../../json.ts"
import { isoTime, roles } from "../realm/domain-values.ts"
import { placeholderAddress, unknownName, unknownPicture } from "../realm/email-addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

type PersonId = Pick<UserRecord, "id">

/** In place of a user record, also of somebody who is deactivated. */
export const wireUnknown = (realm: Pick<Realm, "host" | "createdAt">, user: PersonId): JsonObject => ({
  user_id: user.id,
  full_name: unknownName,
  is_owner: false,
  is_admin: false,
  is_guest: false,
  is_bot: false,
  role: roles.member,
  avatar_version: 1,
  bot_type: null,
  email: placeholderAddress(realm, user),
  delivery_email: null,
  date_joined: isoTime(realm.createdAt),
  timezone: "",
  avatar_url: unknownPicture,
})

/** The fields of a message that name its sender. */
export const unknownSender = (realm: Pick<Realm, "host">, user: PersonId): JsonObject => ({
  sender_email: placeholderAddress(realm, user),
  sender_full_name: unknownName,
  avatar_url: unknownPicture,
})
