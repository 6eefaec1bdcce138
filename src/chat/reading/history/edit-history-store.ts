/** Reads how messages were edited and moved: what each change replaced. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type RealmId } from "../../../ids.ts"
import type { HistoryPolicy } from "../../ground/realm/realm-settings.ts"

const Edit = Schema.Struct({
  message_id: Schema.Number,
  /** Its position in the log; if it changed the channel, the message came there at this position. */
  position: Schema.Number,
  editor_id: idSchemas.user,
  /** Milliseconds since the Unix epoch. */
  at: Schema.Number,
  prev_content: Schema.NullOr(Schema.String),
  prev_rendered: Schema.NullOr(Schema.String),
  prev_topic: Schema.NullOr(Schema.String),
  topic: Schema.NullOr(Schema.String),
  prev_channel_id: Schema.NullOr(idSchemas.channel),
  channel_id: Schema.NullOr(idSchemas.channel),
})
export type StoredEdit = typeof Edit.Type
const decode = Schema.decodeUnknownSync(Schema.Array(Edit))

/**
 * The newest changes of a message that the policy shows, `most` of them: all columns of `Edit`, the newest first. An id
 * of message_move is the position of its row times 65,536, and a small number.
 */
const newestOf = (message: string, policy: HistoryPolicy, most: number): string => {
  const content = policy === "all" ? "o.prev_content, o.prev_rendered" : "null as prev_content, null as prev_rendered"
  const columns = "o.prev_topic, o.topic, o.prev_channel_id, o.channel_id"
  return `select * from (
       (select o.message_id, o.editor_id, o.at, ${content}, ${columns}, o.position
          from message_edit o where o.realm_id = $1::integer and o.message_id = ${message} and o.editor_id is not null
               ${policy === "all" ? "" : "and (o.prev_topic is not null or o.prev_channel_id is not null)"}
         order by o.position desc limit ${most})
       union all
       (select moved.id, o.editor_id, o.at, null, null, ${columns}, o.id / 65536
          from message moved cross join lateral unnest(moved.moves[1:${most}]) as named(id) cross join lateral (
            select * from message_move v where v.realm_id = $1::integer and v.id = named.id offset 0) as o
         where moved.realm_id = $1::integer and moved.id = ${message})) as change
      order by change.position desc limit ${most}`
}

const decodeVersions = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      content: Schema.String,
      rendered: Schema.String,
      topic: Schema.String,
      sent_at: Schema.Number,
      sender_id: idSchemas.user,
      channel_id: Schema.NullOr(idSchemas.channel),
      channel_since: Schema.NullOr(Schema.Number),
      edits: Schema.Array(Edit),
    }),
  ),
)

/** A message with its newest changes, both of one moment; undefined where there is none. */
export const findVersions = (reading: UserRead, realm: RealmId, message: number, policy: HistoryPolicy, most: number) =>
  Effect.map(
    reading.query(
      `select m.content, m.rendered, m.topic, m.sent_at, m.sender_id, m.channel_id, m.channel_since, coalesce((
           select json_agg(e order by e.position desc) from (${newestOf("m.id", policy, most)}) e), '[]') as edits
         from message m where m.realm_id = $1::integer and m.id = $2::bigint`,
      [realm, message],
    ),
    (rows) => decodeVersions(rows)[0],
  )

const decodeOriginal = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      /** null: it was never changed, or the policy does not show it. Likewise the topic. */
      content: Schema.NullOr(Schema.String),
      rendered: Schema.NullOr(Schema.String),
      topic: Schema.NullOr(Schema.String),
      /** The channel in which it had this topic; null: where it is now. */
      channel_id: Schema.NullOr(idSchemas.channel),
    }),
  ]),
)
export type OriginalMessage = ReturnType<typeof decodeOriginal>[0]

/** How a message began: what its oldest changes replaced, for one of which only the newest changes are read. */
export const findOriginal = (reading: UserRead, realm: RealmId, message: number, policy: HistoryPolicy) =>
  Effect.map(
    reading.query(
      `with moved as materialized (
         select o.position, o.prev_topic, o.prev_channel_id from message_edit o
          where o.realm_id = $1::integer and o.message_id = $2::bigint
            and (o.prev_topic is not null or o.prev_channel_id is not null)
         union all
         select o.id / 65536, o.prev_topic, o.prev_channel_id
           from message m cross join lateral unnest(m.moves) as named(id) cross join lateral (
             select * from message_move v where v.realm_id = $1::integer and v.id = named.id offset 0) as o
          where m.realm_id = $1::integer and m.id = $2::bigint),
       named as (select position, prev_topic from moved where prev_topic is not null order by position limit 1)
       select edited.prev_content as content, edited.prev_rendered as rendered, named.prev_topic as topic, (
           select o.prev_channel_id from moved o where o.prev_channel_id is not null and o.position >= named.position
            order by o.position limit 1) as channel_id
         from (select) as one left join named on true left join lateral (
           select o.prev_content, o.prev_rendered from message_edit o
            where o.realm_id = $1::integer and o.message_id = $2::bigint and o.prev_content is not null and ${policy === "all"}
            order by o.position limit 1) as edited on true`,
      [realm, message],
    ),
    (rows) => decodeOriginal(rows)[0],
  )

/**
 * The newest changes of messages that the policy shows, `most` of each, the newest first. Under `moves` those that only edited
 * the content are left out, and no content is read.
 */
export const findEdits = Effect.fnUntraced(function* (
  reading: UserRead,
  realm: RealmId,
  messages: ReadonlyArray<number>,
  policy: HistoryPolicy,
  most: number,
) {
  if (policy === "none" || messages.length === 0) return []
  const rows = yield* reading.query(
    `select e.* from (select each::bigint as id from jsonb_array_elements_text($2::text::jsonb) as each) wanted
       cross join lateral (${newestOf("wanted.id", policy, most)}) e
      order by e.message_id, e.position desc`,
    [realm, JSON.stringify(messages)],
    "generic",
  )
  return decode(rows)
})
