/** Which pictures organizations have: the periodic job removes all others (files/sweep-files.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { tokenOf } from "../../ground/faces/face-files.ts"
import { realmFolder } from "../../ground/faces/face-urls.ts"
import { type FilesInUse, isAnyFound } from "../../ground/files/sweep-files.ts"

const readTokens = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      icon: Schema.NullOr(Schema.String),
      logo: Schema.NullOr(Schema.String),
      night_logo: Schema.NullOr(Schema.String),
    }),
  ),
)

export const realmPictureFiles: FilesInUse = {
  folders: [[realmFolder]],
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    const rows = yield* database.query(
      `select settings ->> 'icon' as icon, settings ->> 'logo' as logo, settings ->> 'night_logo' as night_logo
         from realm where id = $1::integer`,
      [realm],
    )
    const known = new Set<string | null>(
      readTokens(rows).flatMap(({ icon, logo, night_logo }) => [icon, logo, night_logo]),
    )
    return new Set(names.filter((name) => known.has(tokenOf(name))))
  }),
  isAnyNamed: isAnyFound(
    "select from realm where coalesce(settings ->> 'icon', settings ->> 'logo', settings ->> 'night_logo') is not null limit 1",
  ),
}
