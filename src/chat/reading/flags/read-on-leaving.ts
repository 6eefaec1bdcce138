/** The step of a command that ends subscriptions: it tells the clients what is read by that (leaving.sql). */
import type { NewCalls } from "../../../events/step.ts"
import type { ChannelId, UserId } from "../../../ids.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import { leftRow } from "./flags-event.ts"

/** Comes right after the row that ends the subscriptions of these users. */
export const readOnLeaving = (channel: ChannelId, users: ReadonlyArray<UserId>): NewCalls => ({
  fn: "read_left_v1",
  calls: [{ channel_id: channel, user_ids: users, row: leftRow, end_row: endQueuesRow([]) }],
})
