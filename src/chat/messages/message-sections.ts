/** The sections of register about messages: what only the database knows of those that reached a user (contract 3.2). */
import * as Schema from "effect/Schema"
import { emptySection, type StoredSection } from "../kinds/section.ts"
import { wants } from "../kinds/section-view.ts"

const readNewest = Schema.decodeUnknownSync(Schema.Number)

/** The newest message that reached the user; -1 where none did. */
export const messageSection: StoredSection = {
  name: "message",
  stored: "section_message_v1",
  read: (value) => ({ max_message_id: readNewest(value) }),
  visitor: { max_message_id: -1 },
}

const readConversations = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ max_message_id: Schema.Number, user_ids: Schema.Array(Schema.Number) })),
)

/** The newest conversations of direct messages. */
export const recentConversationsSection: StoredSection = {
  name: "recent_private_conversations",
  stored: "section_recent_conversations_v1",
  read: (value) => ({ recent_private_conversations: readConversations(value) }),
  visitor: { recent_private_conversations: [] },
}

/** Until read state exists every message counts as read. */
export const unreadSection = {
  ...emptySection("unread_msgs", {
    unread_msgs: { count: 0, pms: [], huddles: [], streams: [], mentions: [], old_unreads_missing: false },
  }),
  isWanted: (view: Parameters<typeof wants>[0]) => wants(view, "message") && wants(view, "update_message_flags"),
}
