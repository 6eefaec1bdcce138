/**
 * Every kind of event, section of register and kind of work in chunks, each listed once. The endpoints are listed in
 * http/routes.ts. What is not listed here does not exist for the server.
 */
import { alertWordsKind, alertWordsSection } from "./alert-words/alert-words-event.ts"
import { attachmentKind } from "./attachments/attachment-event.ts"
import type { StoredKind } from "./bulk/bulk.ts"
import { channelFolderKind } from "./channel-folders/channel-folder-event.ts"
import { channelFoldersSection } from "./channel-folders/channel-folders.ts"
import { returning } from "./channels/channel-archive.ts"
import { streamKind } from "./channels/channel-event.ts"
import { defaultStreamGroupsSection, defaultStreamsSection, streamSection } from "./channels/channel-sections.ts"
import { defaultStreamGroupsKind, defaultStreamsKind } from "./channels/default-channels-event.ts"
import { flagsKind } from "./flags/flags-event.ts"
import { starredSection, unreadSection } from "./flags/flags-sections.ts"
import type { EventKind } from "./kinds/event-kind.ts"
import { queueEndKind } from "./kinds/queue-end-row.ts"
import type { Section } from "./kinds/section.ts"
import { deletingTopic } from "./message-deletions/topic-steps.ts"
import { deleteMessageKind } from "./message-moves/delete-message-event.ts"
import { movingMessages } from "./message-moves/move-steps.ts"
import { updateMessageKind } from "./message-moves/update-message-event.ts"
import { messageKind } from "./messages/message-event.ts"
import { messageSection, recentConversationsSection } from "./messages/message-sections.ts"
import { mutedUsersKind, mutedUsersSection } from "./muted-users/muted-users-event.ts"
import { realmKind } from "./organization/realm-event.ts"
import { realmSection } from "./organization/realm-section.ts"
import { reactionKind } from "./reactions/reaction-event.ts"
import { emojiKind, emojiSection } from "./realm-emoji/realm-emoji-event.ts"
import { linkifierKind, linkifierSections } from "./realm-linkifiers/realm-linkifier-event.ts"
import { heartbeatKind, noopKind } from "./runtime/own-kinds.ts"
import { savedSnippetKind, savedSnippetsSection } from "./saved-snippets/saved-snippet-event.ts"
import { stopWordsSection } from "./search/stop-words.ts"
import { apiKeyKind } from "./sign-in/api-key.ts"
import { submessageKind } from "./submessages/submessage-event.ts"
import { subscriptionWorks } from "./subscriptions/subscription-chunks.ts"
import { subscriptionKind } from "./subscriptions/subscription-event.ts"
import { subscriptionSection } from "./subscriptions/subscription-section.ts"
import { unbuiltSections } from "./sync/unbuilt-sections.ts"
import { editTypingKind } from "./typing/edit-typing-event.ts"
import { typingKind } from "./typing/typing-event.ts"
import { userGroupKind } from "./user-groups/group-event.ts"
import { userGroupsSection } from "./user-groups/groups.ts"
import { groupMembers } from "./user-groups/user-group-items.ts"
import { mutedTopicsKind, mutedTopicsSection, userTopicKind, userTopicSection } from "./user-topics/user-topic-event.ts"
import { accountStateKind, olderSettingKinds, userSettingsKind } from "./users/account-kinds.ts"
import { botSection } from "./users/bot-section.ts"
import { givenHistoryKind } from "./users/given-history.ts"
import { realmBotKind, realmUserKind } from "./users/people-event.ts"
import { peopleSection } from "./users/people-section.ts"
import { settingsDefaultsSection, settingsSections } from "./users/settings-section.ts"

export const eventKinds: ReadonlyArray<EventKind> = [
  messageKind,
  updateMessageKind,
  deleteMessageKind,
  flagsKind,
  reactionKind,
  submessageKind,
  attachmentKind,
  typingKind,
  editTypingKind,
  streamKind,
  channelFolderKind,
  defaultStreamsKind,
  defaultStreamGroupsKind,
  subscriptionKind,
  givenHistoryKind,
  userGroupKind,
  realmUserKind,
  realmBotKind,
  userSettingsKind,
  ...olderSettingKinds.map(({ kind }) => kind),
  accountStateKind,
  apiKeyKind,
  savedSnippetKind,
  alertWordsKind,
  mutedTopicsKind,
  mutedUsersKind,
  userTopicKind,
  emojiKind,
  linkifierKind,
  realmKind,
  queueEndKind,
  heartbeatKind,
  noopKind,
]

export const registerSections: ReadonlyArray<Section> = [
  ...unbuiltSections,
  messageSection,
  recentConversationsSection,
  unreadSection,
  starredSection,
  ...settingsSections,
  settingsDefaultsSection,
  defaultStreamsSection,
  defaultStreamGroupsSection,
  channelFoldersSection,
  botSection,
  realmSection,
  peopleSection,
  userGroupsSection,
  subscriptionSection,
  streamSection,
  savedSnippetsSection,
  alertWordsSection,
  mutedTopicsSection,
  mutedUsersSection,
  userTopicSection,
  emojiSection,
  ...linkifierSections,
  stopWordsSection,
]

export const workKinds: ReadonlyArray<StoredKind> = [
  ...subscriptionWorks,
  returning,
  groupMembers,
  movingMessages,
  deletingTopic,
]
