/** The queries that count the messages of channels. Called by channel-traffic.ts only. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import { type ChannelId, idSchemas, RealmId } from "../../../ids.ts"

/** Channels per statement: PGlite runs one statement at a time, and all other requests wait meanwhile. */
const channelsAtOnce = 100

export interface ChannelMessageCount {
  readonly channel_id: ChannelId
  /** Messages since the time asked for. */
  readonly sent: number
  /** When the newest message of all was sent, in milliseconds since the Unix epoch; null: there is none. */
  readonly newest_at: number | null
}

const readCounts = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({ channel_id: idSchemas.channel, sent: Schema.Number, newest_at: Schema.NullOr(Schema.Number) }),
  ),
)

/** The realms whose traffic was last counted at `time` or earlier, or after `latest`, when the clock was wrong. */
export const findUncounted = (
  database: DatabaseShape,
  time: number,
  latest: number,
): Effect.Effect<ReadonlySet<RealmId>, Unavailable> =>
  Effect.map(
    database.query("select id from realm where traffic_counted_at <= $1 or traffic_counted_at > $2", [time, latest]),
    (rows) => new Set(rows.map(({ id }) => RealmId(Number(id)))),
  )

/** Counts the messages of each channel that were sent from `since` to `latest`. */
export const countMessages = Effect.fnUntraced(function* (
  database: DatabaseShape,
  realm: RealmId,
  channels: ReadonlyArray<number>,
  since: number,
  latest: number,
): Effect.fn.Return<ReadonlyArray<ChannelMessageCount>, Unavailable> {
  const [row] = yield* database.query("select messages_since_v1($1, $2) as id", [realm, since])
  const counts: Array<ChannelMessageCount> = []
  for (let at = 0; at < channels.length; at += channelsAtOnce) {
    const some = JSON.stringify(channels.slice(at, at + channelsAtOnce))
    const rows = yield* database.query("select * from count_messages_v2($1, $2::text::jsonb, $3, $4, $5)", [
      realm,
      some,
      Number(row?.["id"] ?? 0),
      since,
      latest,
    ])
    counts.push(...readCounts(rows))
  }
  return counts
})
