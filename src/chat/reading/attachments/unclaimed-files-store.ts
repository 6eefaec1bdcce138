/** The files that the periodic job looks for: those that no message links. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { idSchemas, type RealmId } from "../../../ids.ts"

const UnclaimedFile = Schema.Struct({
  id: Schema.Number,
  owner_id: idSchemas.user,
  path_id: Schema.String,
  content_type: Schema.String,
  width: Schema.NullOr(Schema.Number),
  height: Schema.NullOr(Schema.Number),
  is_animated: Schema.Boolean,
  is_claimed: Schema.Boolean,
})
/** A file, and whether something links it, or is to. */
export type UnclaimedFile = typeof UnclaimedFile.Type

const readUnclaimed = Schema.decodeUnknownSync(Schema.Array(UnclaimedFile))

const columns = `a.id::double precision as id, a.owner_id, a.path_id, a.content_type, a.width, a.height, a.is_animated,
            is_file_claimed_v1($1::integer, a.id) as is_claimed`

/** Files by their ids, those that are there. */
export const findFiles = (database: Pick<DatabaseShape, "query">, realm: RealmId, ids: ReadonlyArray<number>) =>
  Effect.map(
    database.query(
      `select ${columns} from attachment a where a.realm_id = $1::integer and a.id in (
         select value::bigint from jsonb_array_elements_text($2::text::jsonb)) order by a.id`,
      [realm, JSON.stringify(ids)],
    ),
    readUnclaimed,
  )

/**
 * Files above the id `after` that were there before `before` (milliseconds since the Unix epoch), and had lost their last
 * link by then if they ever did; and whether a message links each, or is to.
 */
export const findOldFiles = Effect.fnUntraced(function* (
  database: Pick<DatabaseShape, "query">,
  realm: RealmId,
  before: number,
  after: number,
  most: number,
) {
  const rows = yield* database.query(
    `select ${columns}
       from (select * from attachment where realm_id = $1::integer and id > $3::bigint
              order by id limit $4::integer) as a where greatest(a.created_at, a.unlinked_at) < $2::bigint order by a.id`,
    [realm, before, after, most],
  )
  return readUnclaimed(rows)
})
