/** Which pictures people have: the periodic job removes all others (files/sweep-files.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { tokenOf } from "../../ground/faces/face-files.ts"
import { facesFolder } from "../../ground/faces/face-urls.ts"
import { type FilesInUse, isAnyFound } from "../../ground/files/sweep-files.ts"

const readTokens = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ avatar: Schema.String })))

export const avatarFiles: FilesInUse = {
  folders: [[facesFolder]],
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    const rows = yield* database.query(
      `select avatar from account
        where realm_id = $1::integer and avatar in (select jsonb_array_elements_text($2::text::jsonb))`,
      [realm, JSON.stringify([...new Set(names.map(tokenOf))])],
    )
    const known = new Set(readTokens(rows).map(({ avatar }) => avatar))
    return new Set(names.filter((name) => known.has(tokenOf(name))))
  }),
  isAnyNamed: isAnyFound("select from account where avatar is not null limit 1"),
}
