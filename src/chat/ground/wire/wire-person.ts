/**
 * The record of a user as one viewer reads it. Used by events, register and the endpoints that list users, so that they
 * always agree.
 */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { JsonObject } from "../../../json.ts"
import { avatarOf, type FaceRealm } from "../faces/face-urls.ts"
import { isoTime, roleNumbers, roles } from "../realm/domain-values.ts"
import { apiEmail, deliveryEmail, placeholderAddress, unknownPicture, type Viewer } from "../realm/email-addresses.ts"
import type { UserRecord } from "../realm/records.ts"
import { Address, Id, Iso, PictureUrl } from "./wire-values.ts"

/** The fields that differ for a visitor without an account: no address, no time of day, no time zone. */
const wireForVisitor = (realm: FaceRealm, user: UserRecord): JsonObject => {
  const email = placeholderAddress(realm, user)
  return {
    email,
    delivery_email: null,
    date_joined: isoTime(user.joined_at).slice(0, "YYYY-MM-DD".length),
    avatar_url: avatarOf(realm, { ...user, email }, false),
  }
}

/**
 * The record in lists of users. Some lists add `is_active`. `clientHashes`: the client makes pictures from addresses.
 */
export const wireUser = (realm: FaceRealm, user: UserRecord, viewer: Viewer, clientHashes: boolean): JsonObject => ({
  user_id: user.id,
  full_name: user.full_name,
  is_owner: user.role === roles.owner,
  is_admin: user.role <= roles.administrator,
  is_guest: user.role === roles.guest,
  is_bot: user.is_bot,
  role: user.role,
  avatar_version: user.avatar_version,
  bot_type: user.bot_type,
  ...(user.is_bot ? { bot_owner_id: user.bot_owner_id } : {}),
  ...(viewer === null
    ? wireForVisitor(realm, user)
    : {
        email: apiEmail(realm, user),
        delivery_email: deliveryEmail(viewer, user),
        date_joined: isoTime(user.joined_at),
        timezone: user.timezone,
        avatar_url: avatarOf(realm, { ...user, email: apiEmail(realm, user) }, clientHashes),
      }),
})

export const RoleNumber = Schema.Literals(roleNumbers)
/** null: the client makes the picture from the address. */
export const AvatarUrl = Schema.NullOr(Schema.Union([PictureUrl, Schema.Literal(unknownPicture)]))
/** A user's own picture and a changed one: always a URL, whatever the client can make itself. */
export const PictureKeys = {
  avatar_source: Schema.Literals(["G", "U"]),
  avatar_url: PictureUrl,
  avatar_url_medium: PictureUrl,
}
export const BotType = Schema.Literals([1, 2, 3, 4])

const person = {
  user_id: Id,
  email: Address,
  /** null: the viewer may not see it. */
  delivery_email: Schema.NullOr(Address),
  full_name: Schema.NonEmptyString,
  date_joined: Iso,
  is_owner: Schema.Boolean,
  is_admin: Schema.Boolean,
  is_guest: Schema.Boolean,
  role: RoleNumber,
  timezone: Schema.String,
  avatar_url: AvatarUrl,
  avatar_version: Id,
}

interface Roles {
  readonly role: number
  readonly is_owner: boolean
  readonly is_admin: boolean
  readonly is_guest: boolean
}
/** The flags that older clients read must agree with the role. */
const agree = Schema.makeFilter(
  ({ role, is_owner, is_admin, is_guest }: Roles) =>
    is_owner === (role === roles.owner) &&
    is_admin === role <= roles.administrator &&
    is_guest === (role === roles.guest),
  { expected: "flags that agree with the role" },
)

const ofBot = {
  is_bot: Schema.Literal(true),
  bot_type: BotType,
  /** null: the bot has no owner. */
  bot_owner_id: Schema.NullOr(Id),
}
const human = { ...person, is_bot: Schema.Literal(false) }
const bot = { ...person, delivery_email: Address, ...ofBot }

/** A record of GET /users/me: as personWith, but a person has no `bot_type`. */
export const requesterWith = (ofHumans: WireKeys, ofBots: WireKeys) =>
  Schema.Union([
    Schema.Struct({ ...human, ...ofHumans }).check(agree),
    Schema.Struct({ ...bot, ...ofBots }).check(agree),
  ])

/** A record in a list of users, with the fields that the list has beyond all others, for people and for bots. */
export const personWith = (ofHumans: WireKeys, ofBots: WireKeys) =>
  requesterWith({ bot_type: Schema.Null, ...ofHumans }, ofBots)

/** Bots of the server itself, which belong to no organization. */
export const SystemBot = Schema.Struct({
  ...bot,
  is_system_bot: Schema.Literal(true),
  bot_owner_id: Schema.Null,
})
  .check(agree)
  .annotate({ identifier: "SystemBot" })

const { timezone: _timezone, ...spectated } = person
const forVisitors = {
  ...spectated,
  email: Schema.String.check(Schema.isPattern(/^user\d+@[^\s@]+$/)),
  delivery_email: Schema.Null,
  date_joined: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)),
  avatar_url: PictureUrl,
}
/** A record of a user for a visitor without an account, with the fields that the list has beyond all others. */
export const spectatedWith = (ofHumans: WireKeys, ofBots: WireKeys) =>
  Schema.Union([
    Schema.Struct({ ...forVisitors, is_bot: Schema.Literal(false), bot_type: Schema.Null, ...ofHumans }).check(agree),
    Schema.Struct({ ...forVisitors, ...ofBot, ...ofBots }).check(agree),
  ])

export const SpectatedSystemBot = Schema.Struct({
  ...forVisitors,
  ...ofBot,
  bot_owner_id: Schema.Null,
  is_system_bot: Schema.Literal(true),
})
  .check(agree)
  .annotate({ identifier: "SpectatedSystemBot" })
