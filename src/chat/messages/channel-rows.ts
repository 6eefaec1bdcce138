/**
 * What a message changes of the channel that it goes to: its first message, if it had none, and that something was sent
 * there of late. Used by sends and by notices; the commit of the message writes these rows after it.
 */
import type { NewRow } from "../../events/step.ts"
import { streamRows } from "../kinds/stream-row.ts"
import { channelAudience } from "../permissions/sight.ts"
import type { ChannelRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"

/** Arguments of send_messages_v2; none where the channel stays as it is. */
export interface ChannelRows {
  /** The commit fills in which message is the first. */
  readonly first_row?: NewRow
  readonly active_row?: NewRow
}

/** `rules`: those of after the change. */
export const channelRows = (rules: Rules, channel: ChannelRecord, isFirst: boolean): ChannelRows => {
  if (!isFirst && channel.is_recently_active) return {}
  const update = { op: "update", channel_id: channel.id, name: channel.name } as const
  const audience = channelAudience(rules, channel)
  return {
    ...(isFirst
      ? { first_row: streamRows.change({ ...update, property: "first_message_id", value: null }, audience) }
      : {}),
    ...(channel.is_recently_active
      ? {}
      : { active_row: streamRows.change({ ...update, set: { is_recently_active: true } }, audience) }),
  }
}
