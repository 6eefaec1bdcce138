/** Which files exports have: the periodic job removes all others (files/sweep.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { NamedFiles } from "../../ground/files/sweep.ts"
import { exportFile, exportsFolder } from "./exports.ts"

const readTokens = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ token: Schema.String })))

export const exportFiles: NamedFiles = {
  folders: [[exportsFolder]],
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    const rows = yield* database.query(
      `select each ->> 'token' as token from realm_exports, jsonb_array_elements(exports) as each
        where realm_id = $1::integer and each ->> 'token' is not null`,
      [realm],
    )
    const named = new Set(readTokens(rows).map(({ token }) => exportFile(realm, token)))
    return new Set(names.filter((name) => named.has(name)))
  }),
}
