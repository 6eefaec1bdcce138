/**
 * The changes that a message makes to its channel: it may be the channel's first message, and it makes an inactive
 * channel recently active. Used by sends and by notices; their commit writes these rows after the message.
 */
import type { NewRow } from "../../../events/step.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import { channelAudience } from "../../ground/permissions/channel-visibility.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"

/** Arguments of send_messages_v5; each is absent where it would change nothing. */
export interface ChannelRows {
  /** The commit fills in the id of the message. */
  readonly first_row?: NewRow
  readonly active_row?: NewRow
}

/** `rules`: the rules as they are after the commit. */
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
