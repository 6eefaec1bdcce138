/**
 * Many channels in one row, of which each receiver is told where they see the channel: a row for each would be a thousand of
 * them when somebody leaves who was in as many. permissions/group-channels-by-viewers.ts makes them; visible-channels.ts says who sees which.
 */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../../ids.ts"

export const channelsByViewers = {
  /** Beside whoever is in a channel, the same people see all channels of a place. */
  places: Schema.Array(
    Schema.Struct({
      channel_ids: Schema.Array(idSchemas.channel),
      is_private: Schema.Boolean,
      is_web_public: Schema.Boolean,
      /** Clients without `archived_channels` know them as deleted, and do not hear of them. */
      is_archived: Schema.optionalKey(Schema.Literal(true)),
      /** Numbers of lists of `knowers`: private channels are seen by those, too. */
      known_by: Schema.Array(Schema.Number),
    }),
  ),
  /** Lists of users who see channels by a permission, because nothing records who held one at a position. */
  knowers: Schema.Array(Schema.Array(idSchemas.user)),
}
const ChannelsByViewers = Schema.Struct(channelsByViewers)
export type ChannelsByViewers = typeof ChannelsByViewers.Type
