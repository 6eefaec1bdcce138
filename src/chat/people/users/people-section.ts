/**
 * The section `realm_user`: all users, and the requester's own keys. The JSON of a user depends on the viewer only by
 * whether it shows the real address, so viewers share the lists.
 */
import * as Schema from "effect/Schema"
import type { WireKeys } from "../../../api/endpoint.ts"
import type { ConfigShape } from "../../../config/config.ts"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { type JsonItem, JsonMember } from "../../../json-pieces.ts"
import { pictureOf } from "../../ground/faces/face-urls.ts"
import type { Section, SectionMembers } from "../../ground/kinds/section.ts"
import { membersOf } from "../../ground/kinds/section-text.ts"
import { cachedLists, type SharedList } from "../../ground/kinds/shared-list.ts"
import { isGuest, mayCreateChannel, mayInvite } from "../../ground/permissions/permissions.ts"
import { ProfileData, profileValues } from "../../ground/profiles/profile-values.ts"
import { isLimited } from "../../ground/realm/acquaintance/acquaintance.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import { apiEmail, maySeeAddress, type Viewer } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { systemBots } from "../../ground/realm/system-bots.ts"
import {
  PictureKeys,
  personWith,
  SpectatedSystemBot,
  SystemBot,
  spectatedWith,
  wireUser,
} from "../../ground/wire/wire-person.ts"
import { Address, Id } from "../../ground/wire/wire-values.ts"
import { takeKnown } from "./known-people.ts"

/** The viewer, null for a visitor without an account, and the variant that their client asks for. */
interface ViewerOptions {
  readonly viewer: Viewer
  readonly gravatar: boolean
}

/** No user has this id. */
const nobody = UserId(0)

const noProfile: ProfileData = {}

/**
 * The JSON of a person, made when it is sent: after all sections have been taken, in slices. What they have in profile fields
 * is of the moment in which this was made, and not shown to visitors without an account.
 */
class PersonText implements JsonItem {
  readonly user: UserRecord
  /** The version of their profile. */
  readonly version: number
  readonly #profile: ProfileData
  readonly #realm: Realm
  readonly #options: ViewerOptions
  #text: string | null = null

  constructor(realm: Realm, user: UserRecord, options: ViewerOptions) {
    const profiles = realm.part(profileValues)
    this.user = user
    this.version = profiles.version(user.id)
    this.#profile = options.viewer === null ? noProfile : profiles.of(user.id)
    this.#realm = realm
    this.#options = options
  }

  get text(): string {
    this.#text ??= this.#write()
    return this.#text
  }

  #write(): string {
    const { viewer, gravatar } = this.#options
    const person = wireUser(this.#realm, this.user, viewer, gravatar)
    return JSON.stringify(this.user.is_bot ? person : { profile_data: this.#profile, ...person })
  }
}

/** Fields of a user that others see; of the settings only who sees the address. */
const shownFields = [
  "full_name",
  "email",
  "role",
  "is_bot",
  "bot_type",
  "bot_owner_id",
  "timezone",
  "avatar_version",
  "avatar",
  "joined_at",
] as const satisfies ReadonlyArray<keyof UserRecord>

const looksSame = (a: UserRecord, b: UserRecord): boolean =>
  a === b ||
  (a.settings.email_address_visibility === b.settings.email_address_visibility &&
    shownFields.every((field) => a[field] === b[field]))

/** By what the viewer sees of them, so that it is the same for viewers with different rights where these do not matter. */
const written = new WeakMap<UserRecord, Map<string, PersonText>>()

const personText = (realm: Realm, user: UserRecord, options: ViewerOptions): PersonText => {
  const { viewer, gravatar } = options
  const way = viewer === null ? "visitor" : `${gravatar} ${maySeeAddress(viewer, user)}`
  const texts = written.get(user) ?? new Map<string, PersonText>()
  written.set(user, texts)
  const known = texts.get(way)
  if (known !== undefined && known.version === realm.part(profileValues).version(user.id)) return known
  const text = new PersonText(realm, user, options)
  texts.set(way, text)
  return text
}

/** The lists that viewers of one role share: of active people, and of others. */
const activePeople = cachedLists<PersonText>(256)
const otherPeople = cachedLists<PersonText>(256)

interface PeopleLists {
  readonly active: SharedList<PersonText>
  readonly others: SharedList<PersonText>
  readonly changedAt: number
  /** Somebody of the viewer's role. They see the same, except for the viewer's own address where it is hidden. */
  readonly anybody: ViewerOptions
}

const peopleFor = (realm: Realm, { viewer, gravatar }: ViewerOptions): PeopleLists => {
  const variant = viewer === null ? "visitor" : `${viewer.role} ${gravatar}`
  return {
    active: activePeople(realm, variant),
    others: otherPeople(realm, variant),
    changedAt: realm.changedAt(["realm_user", "user_settings", "user_avatar", "custom_profile_fields"]),
    anybody: { viewer: viewer === null ? null : { id: nobody, role: viewer.role }, gravatar },
  }
}

const isCurrent = ({ active, others, changedAt }: PeopleLists): boolean =>
  active.madeOf === changedAt && others.madeOf === changedAt

/** Nothing to do in most cases; 10,000 people take a few milliseconds the first time, and one when somebody changed. */
const update = (realm: Realm, people: PeopleLists): void => {
  const { active, others, changedAt, anybody } = people
  if (isCurrent(people)) return
  const profiles = realm.part(profileValues)
  for (const user of realm.users.values()) {
    const known = active.item(user.id) ?? others.item(user.id)
    const isSame = known !== undefined && known.version === profiles.version(user.id) && looksSame(known.user, user)
    const text = isSame ? known : personText(realm, user, anybody)
    const isActive = realm.isActive(user.id)
    active.set(user.id, isActive ? text : undefined)
    others.set(user.id, isActive ? undefined : text)
  }
  active.madeOf = changedAt
  others.madeOf = changedAt
}

function* preparePeople(realm: Realm, options: ViewerOptions) {
  const people = peopleFor(realm, options)
  if (isCurrent(people)) return
  for (const user of [...realm.users.values()]) yield personText(realm, user, people.anybody)
}

const takePeople = (realm: Realm, options: ViewerOptions): SectionMembers => {
  const people = peopleFor(realm, options)
  update(realm, people)
  const { active, others } = people
  const own = options.viewer === null ? undefined : active.item(options.viewer.id)?.user
  const ownText = own === undefined ? undefined : personText(realm, own, options)
  const isOwn = own !== undefined && active.item(own.id) !== ownText
  const alone = (id: number) => (id === own?.id ? ownText : active.item(id))?.text
  return [
    new JsonMember("realm_users", active.parts(isOwn ? [own.id] : [], alone)),
    new JsonMember(
      "realm_non_active_users",
      others.parts([], (id) => others.item(id)?.text),
    ),
  ]
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

type ServerFacts = Pick<ConfigShape, "webPublicChannels">

/** The server, the organization and the permission must all allow it. */
const mayCreateWebPublic = (realm: Realm, { webPublicChannels }: ServerFacts, user: UserRecord): boolean =>
  webPublicChannels && realm.settings.enable_spectator_access && mayCreateChannel(realm, user, "web-public")

const ownKeys = (realm: Realm, server: ServerFacts, user: UserRecord): JsonObject => {
  const email = apiEmail(realm, user)
  const mayCreatePublic = mayCreateChannel(realm, user, "public")
  const mayCreatePrivate = mayCreateChannel(realm, user, "private")
  return {
    user_id: user.id,
    email,
    delivery_email: user.email,
    full_name: user.full_name,
    ...pictureOf(realm, { ...user, email }),
    is_admin: user.role <= roles.administrator,
    is_owner: user.role === roles.owner,
    is_moderator: user.role <= roles.moderator,
    is_guest: isGuest(user),
    can_create_streams: mayCreatePublic || mayCreatePrivate,
    can_create_public_streams: mayCreatePublic,
    can_create_private_streams: mayCreatePrivate,
    can_create_web_public_streams: mayCreateWebPublic(realm, server, user),
    can_invite_others_to_realm: mayInvite(realm, user),
  }
}

const crossRealmBots = (realm: Realm, { viewer, gravatar }: ViewerOptions): ReadonlyArray<JsonObject> =>
  systemBots(realm).map((bot) => ({ ...wireUser(realm, bot, viewer, gravatar), is_system_bot: true }))

const ownKeySchemas: WireKeys = {
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

const PeopleLists = Schema.Array(personWith({ profile_data: ProfileData }, {}))
const Spectated = Schema.Array(spectatedWith({ profile_data: ProfileData }, {}))

export const peopleSection: Section = {
  name: "realm_user",
  keys: {
    realm_users: PeopleLists,
    realm_non_active_users: PeopleLists,
    cross_realm_bots: Schema.Array(SystemBot).check(Schema.isMinLength(1)),
    ...ownKeySchemas,
  },
  visitorKeys: {
    realm_users: Spectated,
    realm_non_active_users: Spectated,
    cross_realm_bots: Schema.Array(SpectatedSystemBot).check(Schema.isMinLength(1)),
  },
  prepare: ({ realm, user: viewer }, { gravatar }) =>
    isLimited(realm, viewer) ? [] : preparePeople(realm, { viewer, gravatar }),
  take: ({ realm, config, user: viewer }, { gravatar, incompleteUsers }) => [
    ...(isLimited(realm, viewer)
      ? takeKnown(realm, viewer.id, incompleteUsers, (user) => personText(realm, user, { viewer, gravatar }).text)
      : takePeople(realm, { viewer, gravatar })),
    ...membersOf({
      cross_realm_bots: crossRealmBots(realm, { viewer, gravatar }),
      ...(viewer === null ? rightsOfVisitors : ownKeys(realm, config, viewer)),
    }),
  ],
}
