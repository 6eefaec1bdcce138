/** An organization of any size for a benchmark, put into an empty database before a server starts on it. */
import * as Effect from "effect/Effect"
import { newChannel } from "../../src/chat/channels/channels/new-channel.ts"
import { systemGroups } from "../../src/chat/ground/realm/domain-values.ts"
import { createRealm } from "../../src/chat/server/setup/realm-create.ts"
import { Database } from "../../src/db/database.ts"
import { ChannelId } from "../../src/ids.ts"

export const channel = { id: ChannelId(1), name: "everyone" } as const
export const emailOf = (id: number): string => `reader${id}@bench.example`

/** The host of each organization. */
export const hostOf = (realm: number): string => (realm === 1 ? "bench.example" : `bench${realm}.example`)

/** In the order of their foreign keys; `$1` is the number of people, `$2` the organization. All of them are in the one channel. */
const statements = [
  `insert into account (realm_id, id, email, email_folded, full_name, joined_at)
   select $2::integer, n, 'reader' || n || '@bench.example', 'reader' || n || '@bench.example', 'Reader ' || n, 0
     from generate_series(1, $1::integer) n`,
  `insert into role_span (realm_id, user_id, role, opened)
   select $2::integer, n, 400, 0 from generate_series(1, $1::integer) n`,
  `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
   select $2::integer, 1, n, 0, 0 from generate_series(1, $1::integer) n`,
  `insert into subscription_setting (realm_id, user_id, channel_id, color)
   select $2::integer, n, 1, '#76ce90' from generate_series(1, $1::integer) n`,
]

export interface Furniture {
  /** Channels without subscribers. */
  readonly channels: number
  readonly groups: number
}

/**
 * Makes a binary tree of groups, each with an equal share of the users, so that the first group contains everybody; and
 * channels in each of which one group may post.
 */
const furnishings = (people: number, { channels, groups }: Furniture) =>
  [
    [
      `insert into user_group (realm_id, id, name, creator_id, created_at)
       select 1, 8 + n, 'group ' || n, 1, 0 from generate_series(1, $1::integer) n`,
      [groups],
    ],
    [
      `insert into subgroup_span (realm_id, group_id, subgroup_id, opened)
       select 1, 8 + n / 2, 8 + n, 0 from generate_series(2, $1::integer) n`,
      [groups],
    ],
    [
      `insert into group_member_span (realm_id, group_id, user_id, opened)
       select 1, 9 + n % $2::integer, n, 0 from generate_series(1, $1::integer) n`,
      [people, groups],
    ],
    [
      `insert into channel (realm_id, id, name, name_folded, created_at, permissions)
       select 1, 1 + n, 'channel ' || n, 'channel ' || n, 0,
              permissions || jsonb_build_object('can_send_message_group', 9 + n % $2::integer)
         from channel, generate_series(1, $1::integer) n where realm_id = 1 and id = 1`,
      [channels, groups],
    ],
  ] as const

/** Makes channels 2 to `last`, like the first one but without subscribers. */
export const copyChannel = Effect.fnUntraced(function* (last: number) {
  const { query } = yield* Database
  yield* query(
    `insert into channel
     select r.* from channel c, generate_series(2, $1::integer) n, lateral jsonb_populate_record(c,
       jsonb_build_object('id', n, 'name', 'channel ' || n, 'name_folded', 'channel ' || n)) r
      where c.realm_id = 1 and c.id = 1`,
    [last],
  )
})

/** Makes an organization with the users 1 to `people`. */
export const settle = Effect.fnUntraced(function* (people: number, furniture: Furniture | null, realm = 1) {
  const database = yield* Database
  // All people are members, and may do what scenarios do.
  const settings = {
    name: "Bench",
    can_mention_many_users_group: systemGroups["role:everyone"],
    can_delete_any_message_group: systemGroups["role:everyone"],
  }
  yield* createRealm(database, { id: realm, host: hostOf(realm), settings }, null)
  const fields = { description: "", isPrivate: false, isWebPublic: false, historyShared: true, isDefault: false }
  const { permissions } = newChannel(channel.id, { name: channel.name, ...fields }, null, 0)
  yield* database.query(
    `insert into channel (realm_id, id, name, name_folded, created_at, permissions)
     values ($4, $1, $2, $2, 0, $3::text::jsonb)`,
    [channel.id, channel.name, JSON.stringify(permissions), realm],
  )
  for (const statement of statements) yield* database.query(statement, [people, realm])
  if (furniture === null) return
  for (const [statement, parameters] of furnishings(people, furniture)) yield* database.query(statement, parameters)
})

/** Profile fields of short texts, and what everybody has in them. */
export const writeProfiles = Effect.fnUntraced(function* (people: number, fields: number) {
  const { query } = yield* Database
  const all = Array.from({ length: fields }, (_, n) => ({
    id: n + 1,
    type: 1,
    name: `field ${n + 1}`,
    hint: "",
    field_data: "",
    required: false,
    editable_by_user: true,
    display_in_profile_summary: false,
    use_for_user_matching: false,
  }))
  yield* query(
    "insert into custom_profile_fields (realm_id, last_id, fields) values (1, $1::integer, $2::text::jsonb)",
    [fields, JSON.stringify(all)],
  )
  yield* query(
    `insert into profile_value (realm_id, field_id, user_id, value, rendered)
     select 1, f, n, 'What reader ' || n || ' says here', '<p>What reader ' || n || ' says here</p>'
       from generate_series(1, $1::integer) f, generate_series(1, $2::integer) n`,
    [fields, people],
  )
})
