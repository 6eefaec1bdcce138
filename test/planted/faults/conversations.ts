/** Faults in the features about channels, messages, and what people keep for themselves. */
import type { Fault } from "../fault.ts"

export const conversationFaults: ReadonlyArray<Fault> = [
  {
    name: "whoever may delete their own messages deletes those of others",
    file: "src/chat/changing/message-deletions/delete-message.ts",
    find: "if (!isOwn(realm, user, place.sender_id) || !mayDeleteOwn(realm, user, channel))",
    replace: "if (!mayDeleteOwn(realm, user, channel))",
  },
  {
    name: "somebody puts one emoji too many under a message",
    file: "src/chat/changing/reactions/reactions.sql",
    find: "or v_own >= (p_beside ->> 'most_own')::integer",
    replace: "or v_own > (p_beside ->> 'most_own')::integer",
  },
  {
    name: "clients that know archived channels do not hear of one that comes into sight",
    file: "src/chat/channels/channels/channel-event.ts",
    find: "if (payload.channel.is_archived && !rendering.archivedChannels)",
    replace: "if (payload.channel.is_archived)",
  },
  {
    name: "whoever may unsubscribe one of some people unsubscribes all",
    file: "src/chat/channels/subscriptions/subscriptions.ts",
    find: "if (!people.every((user) => mayRemoveSubscriber(realm, actor, user, channel)))",
    replace: "if (!people.some((user) => mayRemoveSubscriber(realm, actor, user, channel)))",
  },
  {
    name: "a policy is kept for a topic as it is written",
    file: "src/chat/personal/user-topics/user-topics.ts",
    find: "topic_folded: fold(topic),",
    replace: "topic_folded: topic,",
  },
  {
    name: "somebody mutes one person too many",
    file: "src/chat/personal/muted-users/muted-users.ts",
    find: "if (muted.length >= mostMutedUsers)",
    replace: "if (muted.length > mostMutedUsers)",
  },
  {
    name: "everybody may download every file",
    file: "src/chat/reading/attachments/file-access.ts",
    find: "return file !== undefined && (isLinked || file.owner_id === user?.id) ? file : null;",
    replace: "return file ?? null;",
  },
  {
    name: "a message that its sender has not read is read for them",
    file: "src/chat/reading/flags/read-state.sql",
    find: "select (p_sender = p_user and p_read_by_sender) or coalesce(p_muted_for @> p_user, false)",
    replace: "select p_sender = p_user or coalesce(p_muted_for @> p_user, false)",
  },
  {
    name: "the key of a direct message's retry is forgotten",
    file: "src/chat/sending/messages/messages.sql",
    find: "select p_realm, sender_id, queue_id, local_id, digest, id, now_v1(), policy from call where local_id is not null",
    replace:
      "select p_realm, sender_id, queue_id, local_id, digest, id, now_v1(), policy from call where local_id is not null and channel_id is not null",
  },
  {
    name: "older clients do not learn that a topic's wildcard names them",
    file: "src/chat/sending/messages/message-marks.ts",
    find: "if (channel || byTopic)",
    replace: "if (channel)",
  },
  {
    name: "an emoji is used that was taken out of use",
    file: "src/chat/text/emoji/reaction-emoji.ts",
    find: "return known.closed === null ? undefined : badRequest(",
    replace: "return known !== undefined ? undefined : badRequest(",
  },
  {
    name: "a mention notifies who was deactivated",
    file: "src/chat/text/markdown/rules/mention-rules.ts",
    find: "const silent = isSilent || user.isInactive;",
    replace: "const silent = isSilent;",
  },
]
