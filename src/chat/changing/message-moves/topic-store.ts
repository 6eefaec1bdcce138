/** Reads where a message is, and which messages stand in its topic, before they are moved. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { idSchemas, type RealmId, type UserId } from "../../../ids.ts"
import { binder } from "../../reading/history/walk/bind-parameters.ts"
import { isHeldSql } from "../../reading/history/walk/held-messages-store.ts"

const Found = Schema.Struct({
  topic: Schema.String,
  topic_folded: Schema.String,
  /** Milliseconds since the Unix epoch. */
  sent_at: Schema.Number,
})

export interface TopicReader {
  readonly realm: RealmId
  readonly user: UserId
}

const decodeTopic = Schema.decodeUnknownSync(Schema.Array(Found))

/** The topic of a message, and when it was sent; undefined where there is no such message. */
export const findTopicOf = Effect.fnUntraced(function* (reading: UserRead, scope: TopicReader, message: number) {
  const { parameters, bind } = binder(scope)
  const rows = yield* reading.query(
    `with reader as (select $2::integer)
     select m.topic, m.topic_folded, m.sent_at from message m where m.realm_id = $1::integer and m.id = ${bind(message)}::bigint`,
    parameters,
  )
  return decodeTopic(rows)[0]
})

const decodePage = Schema.decodeUnknownSync(
  Schema.Tuple([
    Schema.Struct({
      ids: Schema.Array(idSchemas.message),
      held: Schema.Number,
      recent: Schema.Number,
      first: Schema.NullOr(idSchemas.message),
    }),
  ]),
)

/** Messages that one statement looks at. */
const atOnce = 2000

export interface TopicRange {
  readonly channel: number
  readonly topicFolded: string
  /** From this message on. */
  readonly low: number
  /** Whether the user may read only what they hold: the rest is not counted. */
  readonly isHeldOnly: boolean
  /** Those sent after this time are counted apart, in milliseconds since the Unix epoch. */
  readonly since: number
}

export interface TopicMessages {
  readonly count: number
  /** Number of messages that were sent after the given time, and the first of them. */
  readonly recent: number
  readonly first: number | null
  /** The id of every message with which a part of so many begins, of all there are. */
  readonly bounds: ReadonlyArray<number>
}

/** The messages of a topic, in parts of `partSize`. */
export const findTopicMessages = Effect.fnUntraced(function* (
  reading: UserRead,
  scope: TopicReader,
  { channel, topicFolded, low, isHeldOnly, since }: TopicRange,
  partSize: number,
) {
  const bounds: Array<number> = []
  let [all, count, recent, last]: [number, number, number, number] = [0, 0, 0, low - 1]
  let first: number | null = null
  for (let isMore = true; isMore; ) {
    const { parameters, bind } = binder(scope)
    const [page] = decodePage(
      yield* reading.query(
        `with reader as (select $2::integer),
         page as (
           select m.id, m.sent_at, ${isHeldOnly ? isHeldSql : "true"} as is_held from message m
            where m.realm_id = $1::integer and m.channel_id = ${bind(channel)}::integer
              and m.topic_folded = ${bind(topicFolded)}::text and m.id > ${bind(last)}::bigint
            order by m.id limit ${atOnce})
         select coalesce(json_agg(id order by id), '[]') as ids,
           count(*) filter (where is_held)::integer as held,
           count(*) filter (where is_held and sent_at > ${bind(since)}::bigint)::integer as recent,
           min(id) filter (where is_held and sent_at > ${bind(since)}::bigint) as first from page`,
        parameters,
      ),
    )
    for (const [at, id] of page.ids.entries()) if ((all + at) % partSize === 0) bounds.push(id)
    all += page.ids.length
    count += page.held
    recent += page.recent
    first ??= page.first
    last = page.ids.at(-1) ?? last
    isMore = page.ids.length === atOnce
  }
  return { count, recent, first, bounds } satisfies TopicMessages
})

/** The most users whose policies for a topic go with it: one statement counts so many. */
const mostPolicies = 100_000
const decodeCount = Schema.decodeUnknownSync(Schema.Tuple([Schema.Struct({ count: Schema.Number })]))

/** Number of users who have a policy for a topic: muted it, unmuted it or follow it. */
export const countPolicies = (reading: UserRead, scope: TopicReader, channel: number, topicFolded: string) =>
  Effect.map(
    reading.query(
      `select count(*)::integer as count from (
         select from user_topic
          where realm_id = $1::integer and channel_id = $2::integer and topic_folded = $3::text
          limit ${mostPolicies}) as each`,
      [scope.realm, channel, topicFolded],
    ),
    (rows) => decodeCount(rows)[0].count,
  )
