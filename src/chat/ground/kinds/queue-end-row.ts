/**
 * Rows that end the event queues of some users, so that their clients register again. Written where a change of what
 * users may see would take too many events to tell.
 */
import * as Schema from "effect/Schema"
import { toServers } from "../../../events/audience.ts"
import { type CommandStep, type NewRow, tellTogether } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { eventKind } from "./event-kind.ts"
import { noEvents } from "./event-kind-helpers.ts"

export const queueEndKind = eventKind({
  type: "queue_end",
  payload: Schema.Struct({ user_ids: Schema.Array(idSchemas.user) }),
  changesRules: false,
  applyFunction: "apply_queue_end_v1",
  events: {},
  endsQueues: ({ user_ids }) => user_ids,
  wire: () => noEvents,
})

export const endQueuesRow = (users: ReadonlyArray<UserId>): NewRow =>
  queueEndKind.change({ user_ids: users }, toServers)

const isEnd = ({ type }: NewRow): boolean => type === queueEndKind.type

/** Rows that only inform, as one step, and behind them those that end queues where that would take too much. */
export const tellOrEndQueues = (rows: ReadonlyArray<NewRow>): ReadonlyArray<CommandStep> => [
  ...tellTogether(rows.filter((row) => !isEnd(row))),
  ...rows.filter(isEnd),
]
