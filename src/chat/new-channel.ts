/** A channel as it is made: its record, with the permissions of a new one (contract 2.6). */
import type { UserId } from "../ids.ts"
import { renderMarkdown } from "./markdown.ts"
import type { ChannelRecord } from "./records.ts"
import { systemGroups } from "./values.ts"

export interface NewChannel {
  readonly name: string
  readonly description: string
  readonly isPrivate: boolean
  readonly isWebPublic: boolean
  readonly historyShared: boolean
  readonly isDefault: boolean
}

export const newChannel = (id: number, channel: NewChannel, creator: UserId | null, now: number): ChannelRecord => ({
  id,
  name: channel.name,
  description: channel.description,
  rendered_description: channel.description === "" ? "" : renderMarkdown(channel.description),
  creator_id: creator,
  created_at: now,
  is_private: channel.isPrivate,
  is_web_public: channel.isWebPublic,
  history_shared: channel.historyShared,
  is_archived: false,
  is_default: channel.isDefault,
  topics_policy: "inherit",
  retention_days: null,
  permissions: {
    can_add_subscribers_group: systemGroups["role:nobody"],
    can_administer_channel_group:
      creator === null ? systemGroups["role:nobody"] : { direct_members: [creator], direct_subgroups: [] },
    can_delete_any_message_group: systemGroups["role:nobody"],
    can_delete_own_message_group: systemGroups["role:nobody"],
    can_move_messages_out_of_channel_group: systemGroups["role:nobody"],
    can_move_messages_within_channel_group: systemGroups["role:nobody"],
    can_remove_subscribers_group: systemGroups["role:administrators"],
    can_resolve_topics_group: systemGroups["role:nobody"],
    can_send_message_group: systemGroups["role:everyone"],
    can_subscribe_group: systemGroups["role:nobody"],
  },
  first_message_id: null,
})
