/** Which uploads and thumbnails have a row: the periodic job removes all others (files/sweep-files.ts). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type FilesInUse, isAnyFound } from "../../ground/files/sweep-files.ts"
import { pathBeginning } from "./file-names.ts"

/** The first two digits of a file's token divide the files of an organization into folders. */
const shards: ReadonlyArray<string> = Array.from({ length: 256 }, (_, n) => n.toString(16).padStart(2, "0"))

const readBeginnings = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ beginning: Schema.String })))

export const uploads: FilesInUse = {
  folders: ["uploads", "thumbnails"].flatMap((folder) => shards.map((shard) => [folder, shard])),
  findNamed: Effect.fnUntraced(function* (database, realm, names) {
    // The paths, without the name at their end, that a file has.
    const rows = yield* database.query(
      `select stored.beginning from jsonb_array_elements_text($2::text::jsonb) as stored(beginning)
        where exists (select from attachment a where a.realm_id = $1::integer
          and a.path_id >= (stored.beginning || '/') collate "C" and a.path_id < (stored.beginning || '0') collate "C")`,
      [realm, JSON.stringify([...new Set(names.map(pathBeginning))])],
    )
    const known = new Set(readBeginnings(rows).map(({ beginning }) => beginning))
    return new Set(names.filter((name) => known.has(pathBeginning(name))))
  }),
  isAnyNamed: isAnyFound("select from attachment limit 1"),
}
