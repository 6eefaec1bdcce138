/**
 * The tables of a database as its catalog has them, and the SQL that reads and writes their rows as texts: in PostgreSQL's
 * own text form, which loses nothing and which both databases share. A row is a JSON array of its columns' texts. Because
 * nothing here names a column, a backup has every table of every schema, those to come included.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../api/errors.ts"
import { DatabaseUnusable } from "../open-failures.ts"
import type { ArchiveQuery } from "./archive-query.ts"

export const CatalogTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.Struct({ name: Schema.String, type: Schema.String })),
})
export type CatalogTable = typeof CatalogTable.Type

/** What gives the numbers of an identity column. */
export const TableCounter = Schema.Struct({ table: Schema.String, column: Schema.String, next: Schema.Number })
export type TableCounter = typeof TableCounter.Type

/** Tables that are not backed up, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  schema_migrations: "a restore makes the schema of the same version",
  schema_functions: "functions come with the program",
  server_state: "one row, which is about the servers; a backup names what is kept of it",
  event_queue: "a queue ends with its log, and positions come a second time after a restore",
  commit_outcome: "the answers to writers that are gone",
  server_command: "commands for a server that runs",
  process: "servers that run",
}

const tablesSql = `select t.relname::text as name,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
       from pg_attribute a
      where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '')::text as columns,
    (select coalesce(json_agg(f.relname), '[]')
       from pg_constraint c join pg_class f on f.oid = c.confrelid
      where c.conrelid = t.oid and c.contype = 'f')::text as needs
  from pg_class t
  where t.relkind in ('r', 'p') and t.relnamespace = to_regnamespace(current_schema()::text)
  order by t.relname::text collate "C"`

const Found = Schema.Array(
  Schema.Struct({
    name: Schema.String,
    columns: Schema.fromJsonString(CatalogTable.fields.columns),
    needs: Schema.fromJsonString(Schema.Array(Schema.String)),
  }),
)
const readFound = Schema.decodeUnknownSync(Found)

/** Each table after those that its rows refer to. */
const inOrder = (found: typeof Found.Type): ReadonlyArray<CatalogTable> => {
  const ordered: Array<CatalogTable> = []
  const placed = new Set<string>(Object.keys(leftOut))
  let waiting = found.filter(({ name }) => !placed.has(name))
  while (waiting.length > 0) {
    const next = waiting.filter(({ name, needs }) => needs.every((other) => other === name || placed.has(other)))
    if (next.length === 0) throw new Error(`tables refer to each other: ${waiting.map(({ name }) => name).join(", ")}`)
    for (const { name, columns } of next) {
      ordered.push({ name, columns })
      placed.add(name)
    }
    waiting = waiting.filter(({ name }) => !placed.has(name))
  }
  return ordered
}

/** The tables that a backup has, in the order in which they can be filled. */
export const findTables = (ask: ArchiveQuery): Effect.Effect<ReadonlyArray<CatalogTable>, Unavailable> =>
  Effect.map(ask(tablesSql), (rows) => inOrder(readFound(rows)))

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Answers `row`, a text, for each row. */
export const rowsSql = ({ name, columns }: CatalogTable): string =>
  `select json_build_array(${columns.map((column) => `${quoted(column.name)}::text`).join(", ")})::text as row
     from ${quoted(name)}`

/** Answers `filled`: names of these tables that have rows. */
export const filledSql = (tables: ReadonlyArray<CatalogTable>): string =>
  `select coalesce(string_agg(name, ', '), '') as filled from (${tables
    .map(({ name }) => `select '${name.replaceAll("'", "''")}' as name where exists (select 1 from ${quoted(name)})`)
    .join(" union all ")}) as each`

/**
 * Adds the rows of `$1`, a JSON array of them, if `condition` holds; answers `rows`, their number. The table is one of
 * `findTables`, not what somebody else says of it.
 */
export const addRowsSql = ({ name, columns }: CatalogTable, condition: string): string =>
  `with added as (
     insert into ${quoted(name)} (${columns.map((column) => quoted(column.name)).join(", ")})
     select ${columns.map(({ type }, at) => `(r ->> ${at})::${type}`).join(", ")}
       from jsonb_array_elements($1::text::jsonb) as r where ${condition}
     returning 1)
   select count(*)::int as rows from added`

/** Fails where an archive's tables are others than those of the database. */
export const requireSame = (
  archived: ReadonlyArray<CatalogTable>,
  present: ReadonlyArray<CatalogTable>,
): Effect.Effect<void, DatabaseUnusable> => {
  const texts = (tables: ReadonlyArray<CatalogTable>) =>
    tables.map(
      ({ name, columns }) =>
        `${name} (${columns
          .map((each) => `${each.name} ${each.type}`)
          .sort()
          .join(", ")})`,
    )
  const there = new Set(texts(present))
  const other = texts(archived).find((text) => !there.has(text))
  if (other === undefined && archived.length === present.length) return Effect.void
  const what = other === undefined ? "it lacks tables" : other
  return Effect.fail(new DatabaseUnusable({ message: `The backup's tables are not those of its version: ${what}` }))
}

/** A table with its columns in the order in which an archive has their values. `requireSame` has found that it has all of them. */
export const inOrderOf = (table: CatalogTable, archived: ReadonlyArray<CatalogTable>): CatalogTable => {
  const columns = new Map(table.columns.map((column) => [column.name, column]))
  const order = archived.find(({ name }) => name === table.name)?.columns ?? []
  return { name: table.name, columns: order.flatMap(({ name }) => columns.get(name) ?? []) }
}

const countersSql = `select t.relname::text as table, a.attname::text as column,
    pg_get_serial_sequence(quote_ident(t.relname), a.attname) as sequence
  from pg_attribute a join pg_class t on t.oid = a.attrelid
  where a.attidentity <> '' and t.relkind in ('r', 'p') and t.relnamespace = to_regnamespace(current_schema()::text)
  order by 1, 2`

const readCounters = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ table: Schema.String, column: Schema.String, sequence: Schema.String })),
)

export const findCounters = Effect.fnUntraced(function* (ask: ArchiveQuery) {
  const counters: Array<TableCounter> = []
  for (const { table, column, sequence } of readCounters(yield* ask(countersSql))) {
    const [row] = yield* ask(`select last_value + (case when is_called then 1 else 0 end) as next from ${sequence}`)
    counters.push({ table, column, next: Number(row?.["next"]) })
  }
  return counters
})

/** Lets the next number of `$1`, a table, in `$2`, its column, be `$3`. */
export const setCounterSql = "select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, false) as next"
