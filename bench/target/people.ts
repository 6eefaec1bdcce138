/** An organization of any size for a benchmark, put into an empty database before a server starts on it. */
import * as Effect from "effect/Effect"
import { newChannel } from "../../src/chat/new-channel.ts"
import { createRealm } from "../../src/chat/realm-create.ts"
import { Database } from "../../src/db/database.ts"

export const channel = { id: 1, name: "everyone" } as const
export const emailOf = (id: number): string => `reader${id}@bench.example`

/** In the order of their foreign keys; `$1` is the number of people. All of them are in the one channel. */
const statements = [
  `insert into account (realm_id, id, email, full_name, joined_at)
   select 1, n, 'reader' || n || '@bench.example', 'Reader ' || n, 0 from generate_series(1, $1::integer) n`,
  "insert into role_span (realm_id, user_id, role, opened) select 1, n, 400, 0 from generate_series(1, $1::integer) n",
  `insert into subscription_span (realm_id, channel_id, user_id, opened)
   select 1, 1, n, 0 from generate_series(1, $1::integer) n`,
  `insert into subscription_setting (realm_id, user_id, channel_id, color)
   select 1, n, 1, '#76ce90' from generate_series(1, $1::integer) n`,
]

/** Users 1 to `people`. */
export const settle = Effect.fnUntraced(function* (people: number) {
  const database = yield* Database
  yield* createRealm(database, { id: 1, host: "bench.example", settings: { name: "Bench" } }, null)
  const fields = { description: "", isPrivate: false, isWebPublic: false, historyShared: true, isDefault: false }
  const { permissions } = newChannel(channel.id, { name: channel.name, ...fields }, null, 0)
  yield* database.query(
    "insert into channel (realm_id, id, name, created_at, permissions) values (1, $1, $2, 0, $3::text::jsonb)",
    [channel.id, channel.name, JSON.stringify(permissions)],
  )
  for (const statement of statements) yield* database.query(statement, [people])
})
