/**
 * How the lists of a realm that grow with its people are read, two million rows in a large one: some at a time, each statement
 * in about 20 ms. Where the realm has most of the database they are read in the order in which they lie on the disk. In that of
 * an index nearly every row is on another page of the table, which took twenty times as long; but a realm among many is
 * read by its users, because all others' rows would take longer still.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../../api/errors.ts"
import type { Row, Snapshot } from "../../../../db/database.ts"
import type { Realm } from "../realm.ts"

const tables = ["account", "role_span", "subscription_span", "subscription_setting"] as const
type PagedTable = (typeof tables)[number]

/** What of the realm there is to read. */
export interface RealmExtent {
  /** The greatest id of a user, and a number that is greater than each id of a channel. */
  readonly people: number
  readonly channels: number
  readonly accounts: number
  /** Pages of each table on the disk; null: the realm is a small part of them. */
  readonly blocks: Readonly<Record<PagedTable, number>> | null
}

const blocksOf = (table: PagedTable): string =>
  `(pg_relation_size('${table}') / current_setting('block_size')::integer)::integer as ${table}`
const extentSql = `select coalesce((select max(id) from account where realm_id = $1), 0) as people,
  (select count(*) from account where realm_id = $1)::integer as accounts,
  coalesce((select max(id) from channel where realm_id = $1), 0) + 1 as channels, ${tables.map(blocksOf).join(", ")}`
const Extents = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      people: Schema.Number,
      channels: Schema.Number,
      accounts: Schema.Number,
      account: Schema.Number,
      role_span: Schema.Number,
      subscription_span: Schema.Number,
      subscription_setting: Schema.Number,
    }),
  ]),
)

/** The tables are read as they lie if there is, on the average, one of the realm's people in each of so many pages. */
const blocksPerPerson = 0.25
/** So small tables are read as they lie, whoever has most of them. */
const fewBlocks = 64

/** To be asked for when the position is known of which the realm is loaded: a table that grows later has a later row. */
export const findExtent = Effect.fnUntraced(function* (
  database: Snapshot,
  realm: number,
): Effect.fn.Return<RealmExtent, Unavailable> {
  const [{ people, channels, accounts, ...blocks }] = Extents(yield* database.query(extentSql, [realm]))
  const all = tables.reduce((sum, table) => sum + blocks[table], 0)
  const isMost = all <= fewBlocks || blocks.account <= people * blocksPerPerson
  return { people, channels, accounts, blocks: isMost ? blocks : null }
})

export interface PageSizes {
  /** Pages of the disk. */
  readonly blocks: number
  readonly people: number
}
export const usualPages: PageSizes = { blocks: 256, people: 256 }

const pagesOf = (table: PagedTable, { people, blocks }: RealmExtent, sizes: PageSizes) => {
  const user = table === "account" ? "id" : "user_id"
  const [count, size] = blocks === null ? [people, sizes.people] : [blocks[table], sizes.blocks]
  const where =
    blocks === null
      ? `${user} > $2::integer and ${user} <= $3::integer`
      : "ctid >= $2::text::tid and ctid < $3::text::tid"
  const bound = (at: number) => (blocks === null ? at : `(${at},0)`)
  return Array.from({ length: Math.ceil(count / size) }, (_, n) => ({
    where,
    bounds: [bound(n * size), bound((n + 1) * size)],
  }))
}

/** A list, and how it is read: the columns are aggregates, so a page of it is one row. The order of the rows is not known. */
export interface LongList {
  readonly table: PagedTable
  readonly columns: (extent: RealmExtent) => string
  readonly take: (realm: Realm, page: Row, extent: RealmExtent) => void
}

/** Two pages are asked for at a time, so that the database has something to do while one is read here. */
const atOnce = 2

export const readList = (
  database: Snapshot,
  realm: Realm,
  extent: RealmExtent,
  sizes: PageSizes,
  { table, columns, take }: LongList,
): Effect.Effect<void, Unavailable> =>
  Effect.forEach(
    pagesOf(table, extent, sizes),
    ({ where, bounds }) => {
      const sql = `select ${columns(extent)} from ${table} where realm_id = $1 and ${where}`
      const page = database.query(sql, [realm.id, ...bounds], "kept")
      return Effect.map(page, (rows) => {
        for (const row of rows) take(realm, row, extent)
      })
    },
    { concurrency: atOnce, discard: true },
  )
