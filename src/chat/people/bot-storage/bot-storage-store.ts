/** Reads what accounts have stored. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Caller } from "../../../api/endpoint.ts"
import type { UserRead } from "../../../db/reads.ts"

const decode = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ values: Schema.NullOr(Schema.Record(Schema.String, Schema.String)) })),
)

/** The texts under the keys, or all of them; null where one of the keys is not there. */
export const findValues = (
  reading: UserRead,
  { realm, user }: Pick<Caller, "realm" | "user">,
  keys: ReadonlyArray<string> | undefined,
) =>
  Effect.map(
    reading.query(`select bot_values_v1($1, $2, $3::text::jsonb) as "values"`, [
      realm,
      user,
      keys === undefined ? null : JSON.stringify(keys),
    ]),
    (rows) => decode(rows)[0]?.values ?? null,
  )
