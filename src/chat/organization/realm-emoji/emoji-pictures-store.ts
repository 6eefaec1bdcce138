/** Which pictures custom emoji have, those out of use included: the periodic job removes all others (files/sweep-files.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type FilesInUse, isAnyFound } from "../../ground/files/sweep-files.ts"
import { emojiFile, emojiFolder } from "./emoji-pictures.ts"

const readPictures = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ file: Schema.String, still: Schema.NullOr(Schema.String) })),
)

export const emojiPictures: FilesInUse = {
  folders: [emojiFolder],
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    const wanted = JSON.stringify(names.map((name) => name.slice(name.lastIndexOf("/") + 1)))
    const rows = yield* database.query(
      `with wanted as (select value as name from jsonb_array_elements_text($2::text::jsonb))
        select file, still from custom_emoji
         where realm_id = $1::integer and (file in (select name from wanted) or still in (select name from wanted))`,
      [realm, wanted],
    )
    const pictures = readPictures(rows).flatMap(({ file, still }) => (still === null ? [file] : [file, still]))
    return new Set(pictures.map((picture) => emojiFile(realm, picture)))
  }),
  isAnyNamed: isAnyFound("select from custom_emoji limit 1"),
}
