/**
 * What a message changes of the channel that it goes to: its first message, if it had none, and that something was sent
 * there of late. Used by sends and by notices; the commit of the message writes these rows after it.
 */
import type { JsonObject } from "../../json.ts"
import { channelAudience } from "../permissions/sight.ts"
import type { ChannelRecord } from "../realm/records.ts"
import type { Rules } from "../realm/rules.ts"

/** Arguments of send_messages_v1; nothing where the channel stays as it is. `rules`: those of after the change. */
export const channelRows = (rules: Rules, channel: ChannelRecord, isFirst: boolean): JsonObject => {
  if (!isFirst && channel.is_recently_active) return {}
  const update = { op: "update", channel_id: channel.id, name: channel.name }
  return {
    channel_audience: channelAudience(rules, channel),
    ...(isFirst ? { first_row: { ...update, property: "first_message_id" } } : {}),
    ...(channel.is_recently_active ? {} : { active_row: { ...update, set: { is_recently_active: true } } }),
  }
}
