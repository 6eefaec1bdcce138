/** Reads which messages an export may have, how many there are, and the files that they link. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { type ChannelId, idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { isHeldBySql } from "../../reading/history/walk/held-messages-store.ts"
import { additionsSql, sizeSql } from "../../reading/history/walk/message-size-store.ts"
import { memberKey } from "../../reading/history/walk/search-conditions-store.ts"

/** Messages that one statement looks at. */
export const messagesAtOnce = 500
/** Entries of an index that one statement counts. */
const countedAtOnce = 5000

const Placed = Schema.Struct({
  id: Schema.Number,
  /** The position at which it came to its channel; 0 for a direct message. */
  since: Schema.Number,
  /** About how many there are of it in the file. */
  bytes: Schema.Number,
  channel_id: Schema.NullOr(idSchemas.channel),
  /** The ids of a direct message's people, joined by commas; null for a channel's message. */
  member_key: Schema.NullOr(Schema.String),
})
export type PlacedMessage = typeof Placed.Type
const readPlaced = Schema.decodeUnknownSync(Schema.Array(Placed))

/** A page of all messages above the id `after`, up to that of `last`, in the order of their ids. */
export const findPage = (reading: UserRead, realm: RealmId, after: number, last: number) =>
  Effect.map(
    reading.query(
      `select m.id, coalesce(m.channel_since, 0) as since,
           ${sizeSql(true, { texts: [] })} + octet_length(m.content) + ${additionsSql("m.id")} as bytes,
           m.channel_id, case when m.channel_id is null then ${memberKey} end as member_key
         from message m where m.realm_id = $1::integer and m.id > $2::bigint and m.id <= $3::bigint
        order by m.id limit ${messagesAtOnce}`,
      [realm, after, last],
      "generic",
    ),
    readPlaced,
  )

const readCounted = Schema.decodeUnknownSync(
  Schema.Tuple([Schema.Struct({ count: Schema.Number, last: Schema.NullOr(Schema.Number) })]),
)

/** Adds up what short statements count of an index, until it is more than `most`. */
const addUp = Effect.fnUntraced(function* (
  reading: UserRead,
  of: string,
  realm: RealmId,
  channel: number,
  most: number,
) {
  let sum = 0
  for (let after = 0; ; ) {
    const rows = yield* reading.query(
      `select count(*)::integer as count, max(id) as last from (
         select id from message where realm_id = $1::integer and $2::integer is not null and ${of} and id > $3::bigint
          order by id limit ${countedAtOnce}) as counted`,
      [realm, channel, after],
      "generic",
    )
    const [{ count, last }] = readCounted(rows)
    sum += count
    if (last === null || count < countedAtOnce || sum > most) return sum
    after = last
  }
})

/** How many messages there are in these channels, or in all (null); a number above `most` where there are more than that. */
export const countMessages = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  channels: Iterable<ChannelId> | null,
  most: number,
) {
  if (channels === null) return yield* addUp(reading, "true", realm, 0, most)
  let sum = 0
  for (const channel of channels) {
    sum += yield* addUp(reading, "channel_id = $2::integer", realm, channel, most - sum)
    if (sum > most) break
  }
  return sum
})

const Linked = Schema.Struct({
  message_id: Schema.Number,
  id: Schema.Number,
  owner_id: idSchemas.user,
  name: Schema.String,
  path_id: Schema.String,
  size: Schema.Number,
  content_type: Schema.String,
  /** Milliseconds since the Unix epoch. */
  created_at: Schema.Number,
})
export type ExportedFile = typeof Linked.Type
const readLinked = Schema.decodeUnknownSync(Schema.Array(Linked))

/** The files that messages link, once for each message that does. */
export const findLinked = (reading: UserRead, realm: RealmId, messages: ReadonlyArray<number>) =>
  Effect.map(
    reading.query(
      `select l.message_id::double precision as message_id, a.id::double precision as id, a.owner_id, a.name, a.path_id,
           a.size::double precision as size, a.content_type, a.created_at::double precision as created_at
         from jsonb_array_elements_text($2::text::jsonb) as wanted(id)
        cross join lateral (
          select * from attachment_message where realm_id = $1::integer and message_id = wanted.id::bigint offset 0) as l
        cross join lateral (
          select * from attachment where realm_id = $1::integer and id = l.attachment_id offset 0) as a
        order by l.message_id, a.id`,
      [realm, JSON.stringify(messages)],
      "generic",
    ),
    readLinked,
  )

const Holder = Schema.Struct({ message_id: Schema.Number, user_id: idSchemas.user })
const readHolders = Schema.decodeUnknownSync(Schema.Array(Holder))

/** People and messages that one statement looks at: whether somebody holds a message takes some 10 µs. */
export const holdersAtOnce = { people: 20, messages: 100 } as const

/** Of these messages those that are in a channel and that somebody of these people holds, and one who does. */
export const findHolders = (
  reading: UserRead,
  realm: RealmId,
  channel: ChannelId,
  people: ReadonlyArray<UserId>,
  messages: ReadonlyArray<number>,
) =>
  Effect.map(
    reading.query(
      `select m.id::double precision as message_id, h.user_id
         from jsonb_array_elements_text($3::text::jsonb) as wanted(id)
        cross join lateral (
          select * from message where realm_id = $1::integer and id = wanted.id::bigint offset 0) as m
        cross join lateral (
          select u.id::integer as user_id from jsonb_array_elements_text($2::text::jsonb) as u(id)
           where ${isHeldBySql("u.id::integer")} limit 1) as h
        where m.channel_id = $4::integer`,
      [realm, JSON.stringify(people), JSON.stringify(messages), channel],
      "generic",
    ),
    readHolders,
  )
