/** Uploaded files in the database, for their owners and for those who want to read one. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { isHeldSql } from "../history/walk/held-messages-store.ts"
import { WireAttachment } from "./attachment-event.ts"

const Space = Schema.Array(Schema.Struct({ used: Schema.Number }))
const readSpace = Schema.decodeUnknownSync(Space)

/** Bytes of all files of an organization. */
export const findSpace = Effect.fnUntraced(function* (reading: UserRead, realm: RealmId) {
  const rows = yield* reading.query("select upload_space_v1($1::integer)::double precision as used", [realm])
  return readSpace(rows)[0]?.used ?? 0
})

const StoredFile = Schema.Struct({
  id: Schema.Number,
  owner_id: idSchemas.user,
  name: Schema.String,
  path_id: Schema.String,
  size: Schema.Number,
  content_type: Schema.String,
  /** Size of a picture; null for all else. */
  width: Schema.NullOr(Schema.Number),
  height: Schema.NullOr(Schema.Number),
  is_animated: Schema.Boolean,
})
export type AttachmentRecord = typeof StoredFile.Type
const readFiles = Schema.decodeUnknownSync(Schema.Array(StoredFile))

const fileColumns =
  "a.id::double precision as id, a.owner_id, a.name, a.path_id, a.size::double precision as size, a.content_type, " +
  "a.width, a.height, a.is_animated"

/** The files of these paths that exist, in any order. */
export const findByPaths = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  paths: ReadonlyArray<string>,
) {
  const rows = yield* reading.query(
    `select ${fileColumns} from jsonb_array_elements_text($2::text::jsonb) as path
      cross join lateral (select * from attachment where realm_id = $1::integer and path_id = path collate "C" offset 0) as a`,
    [realm, JSON.stringify(paths)],
  )
  return readFiles(rows)
})

/** The file with this id; undefined where there is none. */
export const findById = Effect.fnUntraced(function* (reading: UserRead, realm: RealmId, id: number) {
  const rows = yield* reading.query(
    `select ${fileColumns} from attachment a where a.realm_id = $1::integer and a.id = $2::bigint`,
    [realm, id],
  )
  return readFiles(rows)[0]
})

const Link = Schema.Struct({
  message_id: Schema.Number,
  /** null for a direct message, and where the message is gone. */
  channel_id: Schema.NullOr(idSchemas.channel),
  /** The position at which it was sent, or came to its channel; 0 where the message is gone. */
  since: Schema.Number,
  held: Schema.Boolean,
})
const readLinks = Schema.decodeUnknownSync(Schema.Array(Link))

/** Messages that one statement looks at: whether the reader holds one takes some 10 µs. */
export const linksAtOnce = 200

/** Messages below the id `before` that link a file, the newest first, and whether the reader holds each. */
export const findLinks = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: { readonly realm: RealmId; readonly user: UserId },
  attachment: number,
  before: number,
) {
  const rows = yield* reading.query(
    `select l.message_id::double precision as message_id, m.channel_id,
         coalesce(greatest(m.id, m.channel_since), 0)::double precision as since, coalesce(${isHeldSql}, false) as held
       from (select message_id from attachment_message
              where realm_id = $1::integer and attachment_id = $3::bigint and message_id < $4::bigint
              order by message_id desc limit ${linksAtOnce}) as l
       left join lateral (
         select * from message where realm_id = $1::integer and id = l.message_id offset 0) as m on true
      order by l.message_id desc`,
    [realm, user, attachment, before],
  )
  return readLinks(rows)
})

/** Places of messages, `linksAtOnce` at most, and whether the reader holds each. Those that are gone are left out. */
export const findLinking = Effect.fnUntraced(function* (
  reading: UserRead,
  { realm, user }: { readonly realm: RealmId; readonly user: UserId },
  messages: ReadonlyArray<number>,
) {
  const rows = yield* reading.query(
    `select m.id::double precision as message_id, m.channel_id,
         greatest(m.id, m.channel_since)::double precision as since, ${isHeldSql} as held
       from jsonb_array_elements_text($3::text::jsonb) as wanted(id)
      cross join lateral (
         select * from message where realm_id = $1::integer and id = wanted.id::bigint offset 0) as m`,
    [realm, user, JSON.stringify(messages)],
  )
  return readLinks(rows)
})

const readCount = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ count: Schema.Number })))
const readRecords = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ record: WireAttachment })))

/** Number of files that a user has. */
export const countOwn = Effect.fnUntraced(function* (reading: UserRead, realm: RealmId, owner: UserId) {
  const rows = yield* reading.query(
    "select count(*)::integer as count from attachment where realm_id = $1::integer and owner_id = $2::integer",
    [realm, owner],
  )
  return readCount(rows)[0]?.count ?? 0
})

/** A page of a user's files, above the id `after`, in the order of their ids, as clients read them. */
export const findOwn = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  owner: UserId,
  after: number,
  most: number,
) {
  const rows = yield* reading.query(
    `select attachment_json_v1($1::integer, a.id, 100) as record
       from (select id from attachment where realm_id = $1::integer and owner_id = $2::integer and id > $3::bigint
              order by id limit $4::integer) as a order by a.id`,
    [realm, owner, after, most],
  )
  return readRecords(rows).map(({ record }) => record)
})
