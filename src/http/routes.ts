/** The one table of all endpoints: what this server answers to below /api/v1. */

import { alertWordEndpoints } from "../chat/alert-words/alert-words.ts"
import { attachmentEndpoints } from "../chat/attachments/attachments.ts"
import { getUploadAddress } from "../chat/attachments/downloads.ts"
import { postUpload } from "../chat/attachments/upload.ts"
import { registerSections } from "../chat/capabilities.ts"
import {
  getChannelFolders,
  patchChannelFolder,
  patchChannelFolders,
  postChannelFolders,
} from "../chat/channel-folders/channel-folders.ts"
import { deleteStream } from "../chat/channels/channel-archive.ts"
import {
  getStream,
  getStreamEmailAddress,
  getStreamMembers,
  getSubscriptionStatus,
} from "../chat/channels/channel-read.ts"
import { patchStream } from "../chat/channels/channel-update.ts"
import { getStreamId, getStreams } from "../chat/channels/channels.ts"
import {
  deleteDefaultStreamGroup,
  patchDefaultStreamGroup,
  patchDefaultStreamGroupStreams,
  postDefaultStreamGroups,
} from "../chat/channels/default-channel-groups.ts"
import { deleteDefaultStreams, postDefaultStreams } from "../chat/channels/default-channels.ts"
import { postFlags, postFlagsForNarrow } from "../chat/flags/flags.ts"
import { markAllAsRead, markStreamAsRead, markTopicAsRead } from "../chat/flags/mark-read.ts"
import { getMessage, getMessages } from "../chat/history/fetch.ts"
import { getMatchesNarrow } from "../chat/history/matches-narrow.ts"
import { getTopics } from "../chat/history/topics.ts"
import { deleteMessage } from "../chat/message-deletions/delete-message.ts"
import { deleteTopic } from "../chat/message-deletions/delete-topic.ts"
import { getMessageHistory } from "../chat/message-edits/message-history.ts"
import { patchMessage } from "../chat/message-edits/patch-message.ts"
import { getReadReceipts } from "../chat/message-edits/read-receipts.ts"
import { reportMessage } from "../chat/message-reports/report-message.ts"
import { postRender } from "../chat/messages/render.ts"
import { postMessages } from "../chat/messages/send.ts"
import { mutedUserEndpoints } from "../chat/muted-users/muted-users.ts"
import { patchRealm } from "../chat/organization/patch-realm.ts"
import { getServerSettings } from "../chat/organization/server-settings.ts"
import { reactionEndpoints } from "../chat/reactions/reactions.ts"
import { emojiEndpoints } from "../chat/realm-emoji/realm-emoji.ts"
import { linkifierEndpoints } from "../chat/realm-linkifiers/realm-linkifiers.ts"
import { savedSnippetEndpoints } from "../chat/saved-snippets/saved-snippets.ts"
import { regenerateApiKey } from "../chat/sign-in/api-key.ts"
import { getDevUsers } from "../chat/sign-in/dev-users.ts"
import { devFetchApiKey, fetchApiKey } from "../chat/sign-in/fetch-key.ts"
import { postSubmessage } from "../chat/submessages/submessages.ts"
import { createChannel } from "../chat/subscriptions/channel-create.ts"
import { patchSubscriptions } from "../chat/subscriptions/join-and-leave.ts"
import { postSubscriptions } from "../chat/subscriptions/subscribe.ts"
import { patchSubscription, postSubscriptionProperties } from "../chat/subscriptions/subscription-properties.ts"
import { deleteSubscriptions, getSubscriptions } from "../chat/subscriptions/subscriptions.ts"
import { deleteEvents, getEvents } from "../chat/sync/events.ts"
import { registerWith } from "../chat/sync/register.ts"
import { editTypingEndpoints } from "../chat/typing/edit-typing.ts"
import { postTyping } from "../chat/typing/typing.ts"
import { deactivateUserGroup } from "../chat/user-groups/user-group-deactivate.ts"
import { postUserGroupMembers, postUserGroupSubgroups } from "../chat/user-groups/user-group-members.ts"
import { patchUserGroup, postUserGroups } from "../chat/user-groups/user-groups.ts"
import {
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroupSubgroups,
  getUserGroups,
} from "../chat/user-groups/user-groups-read.ts"
import { userTopicEndpoints } from "../chat/user-topics/user-topics.ts"
import { reactivateUser } from "../chat/users/reactivate.ts"
import { patchUser } from "../chat/users/roles.ts"
import { patchSettings } from "../chat/users/settings.ts"
import { deleteUser, postUsers } from "../chat/users/users.ts"
import { getOwnUser, getUser, getUserByEmail, getUsers } from "../chat/users/users-read.ts"

export const routes = [
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  registerWith(registerSections),
  getEvents,
  deleteEvents,
  postMessages,
  postRender,
  getMatchesNarrow,
  getMessages,
  getMessage,
  postFlags,
  postFlagsForNarrow,
  markAllAsRead,
  markStreamAsRead,
  markTopicAsRead,
  patchMessage,
  getMessageHistory,
  getReadReceipts,
  deleteMessage,
  deleteTopic,
  reportMessage,
  ...reactionEndpoints,
  postSubmessage,
  postTyping,
  ...editTypingEndpoints,
  getUsers,
  postUsers,
  getOwnUser,
  deleteUser,
  patchSettings,
  getSubscriptions,
  postSubscriptions,
  deleteSubscriptions,
  getStreams,
  getStreamId,
  getStream,
  getStreamMembers,
  getSubscriptionStatus,
  getTopics,
  getUser,
  getUserByEmail,
  patchUser,
  reactivateUser,
  getDevUsers,
  regenerateApiKey,
  patchSubscriptions,
  postSubscriptionProperties,
  ...userTopicEndpoints,
  ...mutedUserEndpoints,
  patchSubscription,
  patchRealm,
  getStreamEmailAddress,
  getChannelFolders,
  postChannelFolders,
  patchChannelFolders,
  patchChannelFolder,
  postDefaultStreams,
  deleteDefaultStreams,
  postDefaultStreamGroups,
  patchDefaultStreamGroup,
  deleteDefaultStreamGroup,
  patchDefaultStreamGroupStreams,
  createChannel,
  patchStream,
  deleteStream,
  getUserGroups,
  postUserGroups,
  patchUserGroup,
  deactivateUserGroup,
  getUserGroupMembers,
  postUserGroupMembers,
  getIsUserGroupMember,
  getUserGroupSubgroups,
  postUserGroupSubgroups,
  ...savedSnippetEndpoints,
  ...alertWordEndpoints,
  ...emojiEndpoints,
  postUpload,
  ...attachmentEndpoints,
  getUploadAddress,
  ...linkifierEndpoints,
]
