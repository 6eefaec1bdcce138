/** What the periodic job looks for: files that no message links, and stored ones that have no row. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { idSchemas, RealmId } from "../../../ids.ts"

const readRealms = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Number })))

export const findActiveRealms = Effect.fnUntraced(function* (database: Pick<DatabaseShape, "query">) {
  const rows = yield* database.query(
    "select id from realm where (settings ->> 'deactivated')::boolean is not true order by id",
  )
  return readRealms(rows).map(({ id }) => RealmId(id))
})

const readUnclaimed = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      id: Schema.Number,
      owner_id: idSchemas.user,
      path_id: Schema.String,
      content_type: Schema.String,
      width: Schema.NullOr(Schema.Number),
      height: Schema.NullOr(Schema.Number),
      is_animated: Schema.Boolean,
      is_claimed: Schema.Boolean,
    }),
  ),
)

/**
 * Files above the id `after` that were there before `before` (milliseconds since the Unix epoch), and had lost their last
 * link by then if they ever did; and whether a message links each.
 */
export const findOldFiles = Effect.fnUntraced(function* (
  database: Pick<DatabaseShape, "query">,
  realm: RealmId,
  before: number,
  after: number,
  most: number,
) {
  const rows = yield* database.query(
    `select a.id::double precision as id, a.owner_id, a.path_id, a.content_type, a.width, a.height, a.is_animated, exists (
            select from attachment_message l where l.realm_id = $1::integer and l.attachment_id = a.id) as is_claimed
       from (select * from attachment where realm_id = $1::integer and id > $3::bigint
              order by id limit $4::integer) as a where greatest(a.created_at, a.unlinked_at) < $2::bigint order by a.id`,
    [realm, before, after, most],
  )
  return readUnclaimed(rows)
})

const readNames = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ name: Schema.String })))

/** Those of these beginnings of paths, without the name at their end, that no file has. */
export const findWithoutRow = Effect.fnUntraced(function* (
  database: Pick<DatabaseShape, "query">,
  realm: RealmId,
  beginnings: ReadonlyArray<string>,
) {
  const rows = yield* database.query(
    `select stored.beginning as name from jsonb_array_elements_text($2::text::jsonb) as stored(beginning)
      where not exists (select from attachment a where a.realm_id = $1::integer
        and a.path_id >= (stored.beginning || '/') collate "C" and a.path_id < (stored.beginning || '0') collate "C")`,
    [realm, JSON.stringify(beginnings)],
  )
  return readNames(rows).map(({ name }) => name)
})
