/** The newest messages of topics, for links to topics: one statement for all topics that several people ask for. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { UserRead } from "../../../db/reads.ts"
import { type ChannelId, idSchemas, type MessageId, type RealmId, type UserId } from "../../../ids.ts"

const Found = Schema.Struct({ place: Schema.Number, id: idSchemas.message })
const decode = Schema.decodeUnknownSync(Schema.Array(Found))

export interface WantedTopic {
  readonly channel: ChannelId
  readonly folded: string
  /** Whether the user may read only what was sent since they subscribed. */
  readonly held: boolean
}

export interface TopicOfReader extends WantedTopic {
  readonly realm: RealmId
  readonly reader: UserId
}

/** The newest message of each topic, by its index; none where its reader may see none. */
export const findNewest = Effect.fnUntraced(function* (reading: UserRead, topics: ReadonlyArray<TopicOfReader>) {
  const wanted = JSON.stringify(topics.map((topic, place) => ({ ...topic, place })))
  const sql = "select place, id from newest_of_topics_v1($1::text::jsonb)"
  const rows = decode(yield* reading.query(sql, [wanted], "kept"))
  return new Map<number, MessageId>(rows.map(({ place, id }) => [place, id]))
})
