/** The sections of register about messages, read from the database. */
import * as Schema from "effect/Schema"
import type { ReadSection } from "../../ground/kinds/section.ts"
import { Id, SortedIds } from "../../ground/wire/wire-values.ts"

const readNewest = Schema.decodeUnknownSync(Schema.Number)

/** The id of the newest message that the user holds; -1 where there is none. */
export const messageSection: ReadSection = {
  name: "message",
  keys: { max_message_id: Schema.Union([Id, Schema.Literal(-1)]) },
  stored: "section_message_v1",
  read: (value) => ({ max_message_id: readNewest(value) }),
  visitor: { max_message_id: -1 },
}

const readConversations = Schema.decodeUnknownSync(
  Schema.Array(Schema.Struct({ max_message_id: Schema.Number, user_ids: Schema.Array(Schema.Number) })),
)

const Conversations = Schema.Array(Schema.Struct({ max_message_id: Id, user_ids: SortedIds })).check(
  Schema.isMaxLength(1000),
  Schema.makeFilter(
    (list: ReadonlyArray<{ readonly max_message_id: number }>) =>
      list.every(({ max_message_id }, n) => n === 0 || max_message_id < (list[n - 1]?.max_message_id ?? 0)),
    { expected: "the newest conversation first" },
  ),
)

/** The newest conversations of direct messages. */
export const recentConversationsSection: ReadSection = {
  name: "recent_private_conversations",
  keys: { recent_private_conversations: Conversations },
  stored: "section_recent_conversations_v1",
  read: (value) => ({ recent_private_conversations: readConversations(value) }),
  visitor: { recent_private_conversations: [] },
}
