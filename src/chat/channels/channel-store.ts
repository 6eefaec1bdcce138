/** What is asked of a channel's messages in the database, where the projection does not know. */
import * as Effect from "effect/Effect"
import type { DatabaseShape } from "../../db/database.ts"
import type { Unavailable } from "../../errors.ts"
import type { ChannelId, RealmId } from "../../ids.ts"

/** Whether any message of a channel stands in another topic than the empty one. */
export const hasNamedTopics = (
  database: DatabaseShape,
  realm: RealmId,
  channel: ChannelId,
): Effect.Effect<boolean, Unavailable> =>
  Effect.map(
    database.query("select has_named_topics_v1($1, $2) as named", [realm, channel]),
    ([row]) => row?.["named"] === true,
  )
