/**
 * The section `realm_user`: all users, and the requester's own keys (contract 3.2). The JSON of a user depends on the
 * viewer only by whether it shows the real address, so each of its few variants is serialised once and kept.
 */
import * as Schema from "effect/Schema"
import type { ConfigShape } from "../../config.ts"
import type { Keys } from "../../endpoint.ts"
import type { JsonObject } from "../../json.ts"
import { TextList } from "../../json-pieces.ts"
import type { Members, Section } from "../kinds/section.ts"
import { keptFor, membersOf } from "../kinds/section-text.ts"
import { isGuest, mayCreateChannel } from "../permissions/permissions.ts"
import { apiEmail, maySeeAddress, pictureOf } from "../realm/addresses.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"
import { systemBots } from "../realm/system-bots.ts"
import { roles } from "../realm/values.ts"
import {
  PictureKeys,
  ProfileData,
  personWith,
  SpectatedSystemBot,
  SystemBot,
  spectatedWith,
  wireUser,
} from "../wire/wire-person.ts"
import { Address, Id } from "../wire/wire-values.ts"

/** The viewer, null for a visitor without an account, and the variant that their client asks for. */
interface Reading {
  readonly viewer: UserRecord | null
  readonly gravatar: boolean
}

const written = new WeakMap<UserRecord, Map<string, string>>()

const personText = (realm: Realm, user: UserRecord, { viewer, gravatar }: Reading): string => {
  const way = viewer === null ? "visitor" : `${gravatar} ${maySeeAddress(viewer, user)}`
  const texts = written.get(user) ?? new Map<string, string>()
  written.set(user, texts)
  const known = texts.get(way)
  if (known !== undefined) return known
  const person = { ...wireUser(realm, user, viewer, gravatar), ...(user.is_bot ? {} : { profile_data: {} }) }
  const text = JSON.stringify(person)
  texts.set(way, text)
  return text
}

const peopleTexts = (realm: Realm, reading: Reading): Members => {
  const active: Array<string> = []
  const others: Array<string> = []
  for (const user of realm.users.values()) {
    const list = realm.isActive(user.id) ? active : others
    list.push(personText(realm, user, reading))
  }
  return [new TextList("realm_users", active), new TextList("realm_non_active_users", others)]
}

/** The joined list of more users is not kept: it would take 10 MB for each variant. */
const mostListed = 25_000
const keptPeople = keptFor<Members>(["realm_user", "user_settings"], 4)

/**
 * The name of the list that is shared; undefined where it is not. Viewers of one role see the same addresses. Only a
 * viewer who hides their own address sees one more: their own.
 */
const variantOf = (realm: Realm, { viewer, gravatar }: Reading): string | undefined => {
  const hidesOwn = viewer !== null && viewer.settings.email_address_visibility !== 1
  if (hidesOwn || realm.users.size > mostListed) return undefined
  return viewer === null ? "visitor" : `${viewer.role} ${gravatar}`
}

const sharedPeople = (realm: Realm, reading: Reading): Members => {
  const variant = variantOf(realm, reading)
  const make = () => peopleTexts(realm, reading)
  return variant === undefined ? make() : keptPeople(realm, variant, make)
}

function* writePeople(realm: Realm, reading: Reading) {
  const variant = variantOf(realm, reading)
  if (variant !== undefined && keptPeople.isKept(realm, variant)) return
  for (const user of [...realm.users.values()]) yield personText(realm, user, reading)
}

const rightsOfVisitors: JsonObject = {
  is_admin: false,
  is_owner: false,
  is_moderator: false,
  is_guest: false,
  can_create_streams: false,
  can_create_public_streams: false,
  can_create_private_streams: false,
  can_create_web_public_streams: false,
  can_invite_others_to_realm: false,
}

type Server = Pick<ConfigShape, "webPublicChannels">

/** The server, the organization and the permission must all allow it. */
const mayCreateWebPublic = (realm: Realm, { webPublicChannels }: Server, user: UserRecord): boolean =>
  webPublicChannels && realm.settings.enable_spectator_access && mayCreateChannel(realm, user, "web-public")

const ownKeys = (realm: Realm, server: Server, user: UserRecord): JsonObject => {
  const mayCreatePublic = mayCreateChannel(realm, user, "public")
  const mayCreatePrivate = mayCreateChannel(realm, user, "private")
  return {
    user_id: user.id,
    email: apiEmail(realm, user),
    delivery_email: user.email,
    full_name: user.full_name,
    ...pictureOf(apiEmail(realm, user), user.avatar_version),
    is_admin: user.role <= roles.administrator,
    is_owner: user.role === roles.owner,
    is_moderator: user.role <= roles.moderator,
    is_guest: isGuest(user),
    can_create_streams: mayCreatePublic || mayCreatePrivate,
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: mayCreateWebPublic(realm, server, user),
    can_invite_others_to_realm: false,
  }
}

const crossRealmBots = (realm: Realm, { viewer, gravatar }: Reading): ReadonlyArray<JsonObject> =>
  systemBots(realm).map((bot) => ({ ...wireUser(realm, bot, viewer, gravatar), is_system_bot: true }))

const ownKeySchemas: Keys = {
  user_id: Id,
  email: Address,
  delivery_email: Address,
  full_name: Schema.NonEmptyString,
  ...PictureKeys,
  is_admin: Schema.Boolean,
  is_owner: Schema.Boolean,
  is_moderator: Schema.Boolean,
  is_guest: Schema.Boolean,
  can_create_streams: Schema.Boolean,
  can_create_public_streams: Schema.Boolean,
  can_create_private_streams: Schema.Boolean,
  can_create_web_public_streams: Schema.Boolean,
  can_invite_others_to_realm: Schema.Boolean,
}

const People = Schema.Array(personWith({ profile_data: ProfileData }, {}))
const Spectated = Schema.Array(spectatedWith({ profile_data: ProfileData }, {}))

export const peopleSection: Section = {
  name: "realm_user",
  keys: {
    realm_users: People,
    realm_non_active_users: People,
    cross_realm_bots: Schema.Array(SystemBot).check(Schema.isMinLength(1)),
    ...ownKeySchemas,
  },
  visitorKeys: {
    realm_users: Spectated,
    realm_non_active_users: Spectated,
    cross_realm_bots: Schema.Array(SpectatedSystemBot).check(Schema.isMinLength(1)),
  },
  prepare: ({ realm, user: viewer }, { gravatar }) => writePeople(realm, { viewer, gravatar }),
  take: ({ realm, config, user: viewer }, { gravatar }) => [
    ...sharedPeople(realm, { viewer, gravatar }),
    ...membersOf({
      cross_realm_bots: crossRealmBots(realm, { viewer, gravatar }),
      ...(viewer === null ? rightsOfVisitors : ownKeys(realm, config, viewer)),
    }),
  ],
}
