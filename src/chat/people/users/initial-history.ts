/**
 * Rows that give a new account messages from before its time. No client is told: the account has none yet. From the row on
 * it holds these messages, so it hears of what becomes of them.
 */
import * as Schema from "effect/Schema"
import { toServers } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { type ChannelId, idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { noEvents } from "../../ground/kinds/event-kind-helpers.ts"

export const initialHistoryKind = eventKind({
  type: "given_history",
  payload: Schema.Struct({
    user_id: idSchemas.user,
    /** Channels that they are subscribed to since their account was made. */
    channel_ids: Schema.Array(idSchemas.channel),
    /** They hold what came into these channels from this position on. The commit fills it in. */
    reads_from: Schema.optionalKey(Schema.Number),
  }),
  changesRules: true,
  applyFunction: "apply_given_history_v1",
  filledIn: ["reads_from"],
  applyToProjection: ({ subscriptions }, { user_id, channel_ids, reads_from }) => {
    if (reads_from === undefined) return
    for (const channel of channel_ids) subscriptions.give(channel, user_id, reads_from)
  },
  events: {},
  wire: () => noEvents,
})

/** The newest `most` messages of the channels together. The step must come after the rows that subscribe the account. */
export const giveInitialHistory = (
  user_id: UserId,
  channel_ids: ReadonlyArray<ChannelId>,
  most: number,
): CommandStep => ({
  fn: "give_history_v2",
  calls: [{ channel_ids, most, row: initialHistoryKind.change({ user_id, channel_ids }, toServers) }],
})
