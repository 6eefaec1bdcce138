/** Questions about a channel's messages, which only the database holds. */
import * as Effect from "effect/Effect"
import type { Unavailable } from "../../../api/errors.ts"
import type { DatabaseShape } from "../../../db/database.ts"
import type { ChannelId, RealmId } from "../../../ids.ts"

/** Whether a channel has any message in a topic other than the empty one. */
export const hasNamedTopics = (
  database: DatabaseShape,
  realm: RealmId,
  channel: ChannelId,
): Effect.Effect<boolean, Unavailable> =>
  Effect.map(
    database.query("select has_named_topics_v1($1, $2) as named", [realm, channel]),
    ([row]) => row?.["named"] === true,
  )
