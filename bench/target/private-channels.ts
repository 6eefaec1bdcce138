/**
 * An owner, and people who are in many private channels, each with some of the others, put into a database before a server
 * starts on it.
 */
import * as Effect from "effect/Effect"
import { systemGroups } from "../../src/chat/ground/realm/domain-values.ts"
import { Database } from "../../src/db/database.ts"
import { copyChannel } from "./people.ts"

export interface PrivateChannels {
  readonly channels: number
  /** Users from the second one on, who are in all of them. The first one is an owner. */
  readonly leavers: number
  /** So many of the others in each channel. */
  readonly each: number
  /** Whether the channels are the leavers' own, as of those who made them: each names one of them in a permission. */
  readonly areTheirs: boolean
}

/** $1: people, $2: the last channel, $3: leavers, $4: others in each. The others are spread over all channels. */
const pairs = `from generate_series(2, $2::integer) c, lateral (
    select 1 + l as n from generate_series(1, $3::integer) l
    union select 2 + $3::integer + (c * $4::integer + k) % ($1::integer - $3::integer - 1) from generate_series(1, $4::integer) k) u`
const statements = [
  `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from) select 1, c, n, 0, 0 ${pairs}`,
  `insert into subscription_setting (realm_id, user_id, channel_id, color) select 1, n, c, '#76ce90' ${pairs}`,
]

/** The channels are those after the first one, which everybody is in. */
export const writePrivateChannels = Effect.fnUntraced(function* (
  people: number,
  { channels, leavers, each, areTheirs }: PrivateChannels,
) {
  const { query } = yield* Database
  yield* copyChannel(1 + channels)
  yield* query(
    `update channel set is_private = true, permissions = permissions || jsonb_build_object('can_administer_channel_group',
       case when $1::boolean then jsonb_build_object('direct_members', jsonb_build_array(2 + id % $2::integer),
         'direct_subgroups', '[]'::jsonb) else to_jsonb($3::integer) end)
      where realm_id = 1 and id > 1`,
    [areTheirs, leavers, systemGroups["role:nobody"]],
  )
  for (const statement of statements) yield* query(statement, [people, 1 + channels, leavers, each])
  yield* query("update role_span set role = 100 where realm_id = 1 and user_id = 1")
  yield* query("analyze")
})
