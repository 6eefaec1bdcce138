/** The uploaded files that a text links: one statement for all of them, each found in an index. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../../db/reads.ts"
import type { RealmId } from "../../../../ids.ts"
import type { LinkedFile } from "../context/preview-sources.ts"

const Found = Schema.Struct({
  path: Schema.String,
  content_type: Schema.String,
  width: Schema.NullOr(Schema.Number),
  height: Schema.NullOr(Schema.Number),
  is_animated: Schema.Boolean,
  is_pending: Schema.Boolean,
})
const decode = Schema.decodeUnknownSync(Schema.Array(Found))

const sql = `select a.path_id as path, a.content_type, a.width, a.height, a.is_animated, exists (
    select from thumbnail_work w where w.realm_id = a.realm_id and w.attachment_id = a.id and w.made_at is null) as is_pending
  from jsonb_array_elements_text($2::text::jsonb) as wanted(path)
 cross join lateral (
   select * from attachment a where a.realm_id = $1::integer and a.path_id = wanted.path offset 0) as a`

/** By path. Whether somebody may know of a file is asked before (files/file-claims.ts). */
export const findLinkedFiles = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  paths: ReadonlySet<string>,
) {
  const rows = decode(yield* reading.query(sql, [realm, JSON.stringify([...paths])]))
  return new Map(
    rows.map(({ path, content_type, width, height, is_animated, is_pending }): readonly [string, LinkedFile] => [
      path,
      {
        contentType: content_type,
        size: width === null || height === null ? null : { width, height },
        isAnimated: is_animated,
        isPending: is_pending,
      },
    ]),
  )
})
