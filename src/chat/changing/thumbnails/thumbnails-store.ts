/** The list of pictures whose thumbnails are to be made, and the messages that show one as not there yet. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { DatabaseShape } from "../../../db/database.ts"
import { idSchemas, type MessageId, RealmId } from "../../../ids.ts"

type QueryDatabase = Pick<DatabaseShape, "query">

const readRealms = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ realm_id: Schema.Number })))

/** The organizations that have something to be done. */
export const findRealmsWithWork = (database: QueryDatabase) =>
  Effect.map(database.query("select distinct realm_id from thumbnail_work"), (rows) =>
    readRealms(rows).map(({ realm_id }) => RealmId(realm_id)),
  )

const readIds = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ id: Schema.Number })))
const readUnmade = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: Schema.Number, owner: Schema.Number, path: Schema.String })),
)

/**
 * The oldest picture without thumbnails of each of the next users above the id `after`, so that nobody waits for all of
 * another's. Goes from user to user in the index, however many pictures each has. `failed`: ids of pictures that are
 * passed over.
 */
export const findUnmade = (database: QueryDatabase, realm: RealmId, after: number, failed: ReadonlySet<number>) =>
  Effect.map(
    database.query(
      `with recursive owner as (
         (select owner_id as id from thumbnail_work where realm_id = $1::integer and owner_id > $2::integer
           order by owner_id limit 1)
         union all
         select (select owner_id from thumbnail_work where realm_id = $1::integer and owner_id > owner.id
                  order by owner_id limit 1)
           from owner where owner.id is not null)
       select w.attachment_id::double precision as id, owner.id as owner, a.path_id as path
         from owner
        cross join lateral (
          select attachment_id from thumbnail_work
           where realm_id = $1::integer and owner_id = owner.id and made_at is null
             and attachment_id <> all(array(select jsonb_array_elements_text($3::text::jsonb)::bigint))
           order by attachment_id limit 1) as w
        cross join lateral (
          select path_id from attachment where realm_id = $1::integer and id = w.attachment_id offset 0) as a
        limit 20`,
      [realm, after, JSON.stringify([...failed])],
    ),
    readUnmade,
  )

/** Of several processes one makes the thumbnails of a picture. Answers false where another does, or they are made. */
export const claimPicture = (
  database: QueryDatabase,
  realm: RealmId,
  id: number,
  { process, now, until }: { readonly process: string; readonly now: number; readonly until: number },
) =>
  Effect.map(
    database.query(
      `update thumbnail_work set claimed_by = $3, claimed_until = $5::bigint
        where realm_id = $1::integer and attachment_id = $2::bigint and made_at is null
          and (claimed_by is null or claimed_by = $3 or claimed_until <= $4::bigint)
       returning attachment_id`,
      [realm, id, process, now, until],
    ),
    (rows) => rows.length > 0,
  )

/** Whether nothing is left to be made of a picture, by whomever. */
export const isMade = (database: QueryDatabase, realm: RealmId, id: number) =>
  Effect.map(
    database.query(
      "select from thumbnail_work where realm_id = $1::integer and attachment_id = $2::bigint and made_at is null",
      [realm, id],
    ),
    (rows) => rows.length === 0,
  )

/** Notes that all thumbnails of a picture are stored. Answers false where there is no such file any more. */
export const noteMade = (database: QueryDatabase, realm: RealmId, id: number, now: number) =>
  Effect.map(
    database.query(
      `update thumbnail_work set made_at = $3::bigint, claimed_by = null where realm_id = $1::integer and attachment_id = $2::bigint
       returning attachment_id`,
      [realm, id, now],
    ),
    (rows) => rows.length > 0,
  )

/** Notes that a file is no picture after all: it cannot be decoded. */
export const noteNoPicture = (database: QueryDatabase, realm: RealmId, id: number, now: number) =>
  database.query(
    `with changed as (
       update attachment set width = null, height = null, is_animated = false
        where realm_id = $1::integer and id = $2::bigint)
     update thumbnail_work set made_at = $3::bigint, claimed_by = null where realm_id = $1::integer and attachment_id = $2::bigint`,
    [realm, id, now],
  )

/** Has the thumbnails of a picture made anew, of which one is missing. */
export const wantAgain = (database: QueryDatabase, realm: RealmId, id: number) =>
  database.query(
    `insert into thumbnail_work (realm_id, owner_id, attachment_id)
     select realm_id, owner_id, id from attachment where realm_id = $1::integer and id = $2::bigint
     on conflict (realm_id, owner_id, attachment_id) do update set made_at = null`,
    [realm, id],
  )

/** Pictures whose thumbnails were made before a time (milliseconds since the Unix epoch), some of them. */
export const findMadeBefore = (database: QueryDatabase, realm: RealmId, before: number) =>
  Effect.map(
    database.query(
      `select attachment_id::double precision as id from thumbnail_work
        where realm_id = $1::integer and made_at < $2::bigint limit 100`,
      [realm, before],
    ),
    readIds,
  )

/** Strikes a picture from the list whose thumbnails are made and shown. */
export const endWork = (database: QueryDatabase, realm: RealmId, id: number) =>
  database.query(
    "delete from thumbnail_work where realm_id = $1::integer and attachment_id = $2::bigint and made_at is not null",
    [realm, id],
  )

const readMessages = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ id: idSchemas.message, is_waiting: Schema.Boolean })),
)

/** Messages that one statement looks at. */
const messagesAtOnce = 50

/** A page of the messages that link a file, above the id `after`; `is_waiting`: it shows a picture as not there yet. */
export const findLinking = (database: QueryDatabase, realm: RealmId, id: number, after: number) =>
  Effect.map(
    database.query(
      `select m.id::double precision as id, position('image-loading-placeholder' in m.rendered) > 0 as is_waiting
         from (select message_id from attachment_message
                where realm_id = $1::integer and attachment_id = $2::bigint and message_id > $3::bigint
                order by message_id limit ${messagesAtOnce}) as l
        cross join lateral (
          select id, rendered from message where realm_id = $1::integer and id = l.message_id offset 0) as m
        order by m.id`,
      [realm, id, after],
    ),
    readMessages,
  )

const readShown = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ sender_id: idSchemas.user, content: Schema.String, rendered: Schema.String })),
)

/** How a message is shown now; undefined where it is gone. */
export const findShown = (database: QueryDatabase, realm: RealmId, message: MessageId) =>
  Effect.map(
    database.query(
      "select sender_id, content, rendered from message where realm_id = $1::integer and id = $2::bigint",
      [realm, message],
    ),
    (rows) => readShown(rows)[0],
  )
