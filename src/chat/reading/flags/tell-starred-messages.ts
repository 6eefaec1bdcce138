/** The step of a command by which users come to read a private channel again: it tells them what is starred (regaining.sql). */
import { toUsers } from "../../../events/audience.ts"
import type { NewCalls } from "../../../events/step.ts"
import type { UserId } from "../../../ids.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { flagsKind } from "./flags-event.ts"

/** The commit gives it its messages and its user. */
export const starredRow = flagsKind.tell({ op: "add", flag: "starred", messages: "{}", all: false }, toUsers([]))

/**
 * Comes after the rows that let these users read the channel. What they starred in a public channel they have kept, as they
 * have what they did not lose; to be told of that again changes nothing.
 */
export const tellStarred = (channel: ChannelRecord, users: ReadonlyArray<UserId>): ReadonlyArray<NewCalls> =>
  channel.is_private && users.length > 0
    ? [
        {
          fn: "tell_starred_v1",
          calls: [{ channel_id: channel.id, user_ids: users, row: starredRow, end_row: endQueuesRow([]) }],
        },
      ]
    : []
