/** The statements that make a crowd's organization. Rows are copies of others, so that they have this version's columns. */
import * as Effect from "effect/Effect"
import { Database } from "../../src/db/database.ts"
import { copyChannel, settle } from "../target/people.ts"
import { channelsOf, type Plan, talkChannel, talkerCount } from "./plan.ts"

const pairsAtOnce = 20_000

/** Subscribes users to channels, as they are subscribed to the channel that has everybody. */
const subscribe = Effect.fnUntraced(function* (pairs: ReadonlyArray<readonly [user: number, channel: number]>) {
  const { query } = yield* Database
  for (let from = 0; from < pairs.length; from += pairsAtOnce)
    for (const table of ["subscription_span", "subscription_setting"])
      yield* query(
        `insert into ${table}
         select r.* from jsonb_array_elements($1::text::jsonb) p
           join ${table} t on t.realm_id = 1 and t.channel_id = 1 and t.user_id = (p ->> 0)::integer,
           lateral jsonb_populate_record(t, jsonb_build_object('channel_id', (p ->> 1)::integer)) r
         on conflict do nothing`,
        [JSON.stringify(pairs.slice(from, from + pairsAtOnce))],
      )
})

/** Makes users, channels and subscriptions in an empty database. */
export const settleCrowd = Effect.fnUntraced(function* (plan: Plan) {
  const { query } = yield* Database
  const { people, common } = plan
  const talk = talkChannel(plan)
  yield* settle(people + talkerCount, null)
  yield* copyChannel(talk)
  const users = Array.from({ length: people }, (_, n) => n + 1)
  yield* subscribe(users.flatMap((user) => channelsOf(user, plan).map((channel) => [user, channel] as const)))
  yield* subscribe(Array.from({ length: common }, (_, n) => users.map((user) => [user, n + 2] as const)).flat())
  yield* subscribe(Array.from({ length: talkerCount }, (_, n) => [people + 1 + n, talk] as const))
  // Not while it is being filled: without statistics large joins are planned for empty tables.
  yield* query("analyze")
})

/** Gives each of the other users a queue like that of user 1; answers their ids in the order of the users. */
export const copyQueue = Effect.fnUntraced(function* (people: number) {
  const { query } = yield* Database
  yield* query(
    `insert into event_queue
     select r.* from event_queue q, generate_series(2, $1::integer) n, lateral jsonb_populate_record(q,
       jsonb_build_object('user_id', n, 'id', split_part(q.id, '-', 1) || '-' || gen_random_uuid())) r
      where q.realm_id = 1 and q.user_id = 1`,
    [people],
  )
  const rows = yield* query("select id from event_queue where realm_id = 1 order by user_id")
  return rows.map((row) => String(row["id"]))
})
