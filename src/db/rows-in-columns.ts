/**
 * Many short rows as one row that has a list of each column: what the embedded database answers is handed over row by row,
 * and a thousand of them take three times as long as finding them.
 */
import * as Schema from "effect/Schema"
import type { Row } from "./database.ts"

/** The statement `rows` in columns, which are its columns of these names. Their order is that of the rows. */
export const inColumns = (names: ReadonlyArray<string>, rows: string): string =>
  `select ${names.map((name) => `coalesce(json_agg(r.${name}), '[]')::text as ${name}`).join(", ")} from (${rows}) as r`

/**
 * A column of such a row, for a Schema of all columns: checking some lists takes a third of the time that checking an object
 * for each of a thousand rows takes.
 */
export const column = <Item extends Schema.Top>(item: Item) => Schema.fromJsonString(Schema.Array(item))

const readColumns = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Record(Schema.String, Schema.fromJsonString(Schema.Array(Schema.Unknown)))]),
)

/** The rows of such a statement. */
export const fromColumns = (answer: ReadonlyArray<Row>): ReadonlyArray<Row> => {
  const [columns] = readColumns(answer)
  const rows: Array<Record<string, unknown>> = []
  for (const [name, values] of Object.entries(columns))
    for (const [n, value] of values.entries()) {
      const row = rows[n] ?? {}
      row[name] = value
      rows[n] = row
    }
  return rows
}
