/** People and bots on the wire, and the events about them (contract 3.1.6, 3.1.7, 5.1). */
import * as Schema from "effect/Schema"
import { Address, Count, Id, Iso, Nothing, Url } from "./wire-schemas-values.ts"

const Role = Schema.Literals([100, 200, 300, 400, 600])
const AvatarUrl = Schema.NullOr(Url)
const ProfileData = Schema.Record(
  Schema.String,
  Schema.Struct({ value: Schema.String, rendered_value: Schema.optionalKey(Schema.String) }),
)

const person = {
  user_id: Id,
  email: Address,
  delivery_email: Schema.NullOr(Address),
  full_name: Schema.NonEmptyString,
  date_joined: Iso,
  is_owner: Schema.Boolean,
  is_admin: Schema.Boolean,
  is_guest: Schema.Boolean,
  role: Role,
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
/** The older flags follow from the role. */
const agree = Schema.makeFilter(
  ({ role, is_owner, is_admin, is_guest }: Roles) =>
    is_owner === (role === 100) && is_admin === role <= 200 && is_guest === (role === 600),
  { expected: "flags that agree with the role" },
)

const human = { ...person, is_bot: Schema.Literal(false), bot_type: Schema.Null }
const bot = {
  ...person,
  delivery_email: Address,
  is_bot: Schema.Literal(true),
  bot_type: Schema.Literals([1, 2, 3, 4]),
  bot_owner_id: Schema.NullOr(Id),
}

/** In `realm_users` and `realm_non_active_users`. */
export const Person = Schema.Union([
  Schema.Struct({ ...human, profile_data: ProfileData }).check(agree),
  Schema.Struct(bot).check(agree),
])

/** Bots of the program itself, in nobody's organization. */
export const SystemBot = Schema.Struct({
  ...bot,
  is_system_bot: Schema.Literal(true),
  bot_owner_id: Schema.Null,
}).check(agree)

/** Of GET /users and its neighbours. */
export const Member = Schema.Union([
  Schema.Struct({ ...human, is_active: Schema.Boolean, profile_data: Schema.optionalKey(ProfileData) }).check(agree),
  Schema.Struct({ ...bot, is_active: Schema.Boolean, is_system_bot: Schema.optionalKey(Schema.Literal(true)) }).check(
    agree,
  ),
])

/** The requester alone, beside other keys of an answer. */
export const OwnMember = <const F extends Schema.Struct.Fields>(further: F) => {
  const own = { ...further, is_active: Schema.Literal(true), max_message_id: Schema.Int }
  return Schema.Union([
    Schema.Struct({ ...human, ...own, delivery_email: Address, profile_data: ProfileData }),
    Schema.Struct({ ...bot, ...own }),
  ])
}

const { timezone: _timezone, ...spectated } = person
const Placeholder = Schema.String.check(Schema.isPattern(/^user\d+@[^\s@]+$/))
const forSpectators = {
  ...spectated,
  email: Placeholder,
  delivery_email: Schema.Null,
  date_joined: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)),
  avatar_url: Url,
}
/** As a visitor without an account reads people. */
export const SpectatedPerson = Schema.Union([
  Schema.Struct({
    ...forSpectators,
    is_bot: Schema.Literal(false),
    bot_type: Schema.Null,
    is_active: Schema.optionalKey(Schema.Boolean),
    profile_data: Schema.optionalKey(ProfileData),
  }).check(agree),
  Schema.Struct({
    ...forSpectators,
    is_bot: Schema.Literal(true),
    bot_type: Schema.Literals([1, 2, 3, 4]),
    bot_owner_id: Schema.NullOr(Id),
    is_active: Schema.optionalKey(Schema.Boolean),
  }).check(agree),
])

export const SpectatedSystemBot = Schema.Struct({
  ...forSpectators,
  is_bot: Schema.Literal(true),
  bot_type: Schema.Literals([1, 2, 3, 4]),
  bot_owner_id: Schema.Null,
  is_system_bot: Schema.Literal(true),
}).check(agree)

/** The requester's own keys of the section `realm_user`. */
export const ownKeys = {
  user_id: Id,
  email: Address,
  delivery_email: Address,
  full_name: Schema.NonEmptyString,
  avatar_source: Schema.Literals(["G", "U"]),
  avatar_url: AvatarUrl,
  avatar_url_medium: AvatarUrl,
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

const botDefaults = {
  default_sending_stream: Schema.NullOr(Schema.String),
  default_events_register_stream: Schema.NullOr(Schema.String),
  default_all_public_streams: Schema.Boolean,
  services: Nothing,
}
export const ApiKey = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{32}$/))
export const Bot = Schema.Struct({
  user_id: Id,
  full_name: Schema.NonEmptyString,
  email: Address,
  bot_type: Schema.Literals([1, 2, 3, 4]),
  is_active: Schema.Boolean,
  api_key: ApiKey,
  owner_id: Schema.NullOr(Id),
  avatar_url: AvatarUrl,
  ...botDefaults,
})

const added = { is_active: Schema.Literal(true) }
const realmUser = { id: Count, type: Schema.Literal("realm_user") }
const changed = <const F extends Schema.Struct.Fields>(fields: F) => Schema.Struct({ user_id: Id, ...fields })

export const peopleEvents = {
  "realm_user/add": Schema.Struct({
    ...realmUser,
    op: Schema.Literal("add"),
    person: Schema.Union([
      Schema.Struct({ ...human, ...added, profile_data: ProfileData }).check(agree),
      Schema.Struct({ ...bot, ...added }).check(agree),
    ]),
  }),
  "realm_user/update": Schema.Struct({
    ...realmUser,
    op: Schema.Literal("update"),
    person: Schema.Union([
      changed({ is_active: Schema.Boolean }),
      changed({ role: Role }),
      changed({ full_name: Schema.NonEmptyString }),
      changed({ new_email: Address }),
      changed({ delivery_email: Schema.NullOr(Address) }),
      changed({
        avatar_source: Schema.Literals(["G", "U"]),
        avatar_url: AvatarUrl,
        avatar_url_medium: AvatarUrl,
        avatar_version: Id,
      }),
    ]),
  }),
  // What its user record says is not said again, and its key is for a request of its own.
  "realm_bot/add": Schema.Struct({
    id: Count,
    type: Schema.Literal("realm_bot"),
    op: Schema.Literal("add"),
    bot: Schema.Struct({ user_id: Id, ...botDefaults }),
  }),
  "realm_bot/delete": Schema.Struct({
    id: Count,
    type: Schema.Literal("realm_bot"),
    op: Schema.Literal("delete"),
    bot: Schema.Struct({ user_id: Id }),
  }),
}
