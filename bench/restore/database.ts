/**
 * The process that has the databases of the scenario `restore` open while no server has: it fills the first one, and counts and
 * digests the rows of every table of each.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { DatabaseConfig } from "../../src/config/config.ts"
import { leftOut } from "../../src/db/archive/catalog-tables.ts"
import { Database } from "../../src/db/database.ts"
import { openDatabase, openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { serveCommands } from "../remote.ts"
import { writeHistory } from "../target/history.ts"
import { settle } from "../target/people.ts"
import { channels, people, renewed, roles } from "./plan.ts"

const Place = Schema.Struct({ databaseUrl: Schema.NullOr(Schema.String), folder: Schema.String })
const decodePlace = Schema.decodeUnknownSync(Place)
const decodeFill = Schema.decodeUnknownSync(Schema.Struct({ ...Place.fields, messages: Schema.Number }))

const atOnce = 10_000
/** Pages of a table that one statement reads: 32 MB. */
const pagesAtOnce = 4096

/** A row of the log for each message but the newest, which has one already. */
const logged = `insert into log (realm_id, position, type, payload, audience, width, message_id, at)
  select m.realm_id, m.id, 'message', jsonb_build_object('client', m.client, 'read_by_sender', m.read_by_sender,
      'sender', jsonb_build_object('id', a.id, 'email', a.email, 'avatar', md5(a.email), 'full_name', a.full_name,
        'avatar_version', 1),
      'channel', jsonb_build_object('id', c.id, 'name', c.name, 'topic', m.topic)),
    jsonb_build_object('kind', 'subscribers', 'channel', c.id, 'was',
      '{"isPrivate": false, "isWebPublic": false, "historyShared": true}'::jsonb), 1, m.id, m.sent_at
    from message m join account a on a.realm_id = m.realm_id and a.id = m.sender_id
      join channel c on c.realm_id = m.realm_id and c.id = m.channel_id
   where m.realm_id = 1 and m.id between $1::bigint and $2::bigint`

const fill = Effect.fnUntraced(function* (messages: number) {
  const { query } = yield* Database
  yield* settle(people, null)
  for (const { id, role } of roles) yield* query("update role_span set role = $2 where user_id = $1", [id, role])
  yield* writeHistory(people, { channels, messages, topics: Math.floor(messages / 100) })
  for (let at = 1; at < messages; at += atOnce) yield* query(logged, [at, Math.min(at + atOnce, messages) - 1])
  yield* query("vacuum analyze log")
  const [row] = yield* query("select pg_database_size(current_database())::float8 as bytes")
  return { bytes: Number(row?.["bytes"]) }
})

const tablesSql = `select relname::text as name, pg_relation_size(oid)::float8 as bytes from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`

/** Number of rows, and the sum of a digest of each: the same for the same rows in any order. A part of a table at a time. */
const digestSql = (table: string): string =>
  `select count(*)::float8 as rows, coalesce(sum(('x' || substr(md5((to_jsonb(t)${(renewed[table] ?? []).map((column) => ` - '${column}'`).join("")})::text), 1, 15))::bit(60)::bigint), 0)::text as sum
     from "${table}" t where ctid >= format('(%s,0)', $1::bigint)::tid and ctid < format('(%s,0)', $2::bigint)::tid`

const digest = Effect.gen(function* () {
  const { query } = yield* Database
  const found: Record<string, { readonly rows: number; readonly sum: string }> = {}
  for (const { name, bytes } of yield* query(tablesSql)) {
    const table = String(name)
    if (Object.hasOwn(leftOut, table)) continue
    let [rows, sum] = [0, 0n]
    for (let page = 0; page * 8192 < Number(bytes); page += pagesAtOnce) {
      const [part] = yield* query(digestSql(table), [page, page + pagesAtOnce])
      rows += Number(part?.["rows"])
      sum += BigInt(String(part?.["sum"]))
    }
    found[table] = { rows, sum: String(sum) }
  }
  return { tables: found }
})

const configOf = ({ databaseUrl, folder }: typeof Place.Type): DatabaseConfig =>
  databaseUrl === null
    ? { kind: "pglite", folder: `${folder}/database`, sync: false }
    : { kind: "postgres", url: databaseUrl }

const opened = async <A, E, F>(layer: Layer.Layer<Database, F>, work: Effect.Effect<A, E, Database>): Promise<A> => {
  const scope = await Effect.runPromise(Scope.make())
  try {
    const services = await Effect.runPromise(Scope.provide(Layer.build(layer), scope))
    const database = Context.get(services, Database)
    return await Effect.runPromise(Effect.provideService(work, Database, database))
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void))
  }
}

/** Statements that take minutes. */
const long = { isForTransaction: true }

serveCommands(
  {
    fill: (wanted) => {
      const orders = decodeFill(wanted)
      return opened(openMigratedDatabase(configOf(orders), [], long), fill(orders.messages))
    },
    digest: (place) => opened(openDatabase(configOf(decodePlace(place)), undefined, long), digest),
  },
  async () => {},
)
