/** The one table of all endpoints: what this server answers to below /api/v1. */
import { regenerateApiKey } from "../chat/api-key.ts"
import { deleteStream } from "../chat/channel-archive.ts"
import { createChannel } from "../chat/channel-create.ts"
import {
  getChannelFolders,
  patchChannelFolder,
  patchChannelFolders,
  postChannelFolders,
} from "../chat/channel-folders.ts"
import { getStream, getStreamEmailAddress, getStreamMembers, getSubscriptionStatus } from "../chat/channel-read.ts"
import { patchStream } from "../chat/channel-update.ts"
import { getStreamId, getStreams } from "../chat/channels.ts"
import {
  deleteDefaultStreamGroup,
  patchDefaultStreamGroup,
  patchDefaultStreamGroupStreams,
  postDefaultStreamGroups,
} from "../chat/default-channel-groups.ts"
import { deleteDefaultStreams, postDefaultStreams } from "../chat/default-channels.ts"
import { getDevUsers } from "../chat/dev-users.ts"
import { devFetchApiKey, fetchApiKey } from "../chat/fetch-key.ts"
import { getMessage, getMessages } from "../chat/messages/fetch.ts"
import { postMessages } from "../chat/messages/send.ts"
import { getTopics } from "../chat/messages/topics.ts"
import { patchRealm } from "../chat/patch-realm.ts"
import { reactivateUser } from "../chat/reactivate.ts"
import { patchUser } from "../chat/roles.ts"
import { getServerSettings } from "../chat/server-settings.ts"
import { patchSubscriptions, postSubscriptions } from "../chat/subscribe.ts"
import { patchSubscription, postSubscriptionProperties } from "../chat/subscription-properties.ts"
import { deleteSubscriptions, getSubscriptions } from "../chat/subscriptions.ts"
import { deleteEvents, getEvents } from "../chat/sync/events.ts"
import { register } from "../chat/sync/register.ts"
import { postTyping } from "../chat/typing.ts"
import { deactivateUserGroup } from "../chat/user-group-deactivate.ts"
import { postUserGroupMembers, postUserGroupSubgroups } from "../chat/user-group-members.ts"
import { patchUserGroup, postUserGroups } from "../chat/user-groups.ts"
import {
  getIsUserGroupMember,
  getUserGroupMembers,
  getUserGroupSubgroups,
  getUserGroups,
} from "../chat/user-groups-read.ts"
import { deleteUser, postUsers } from "../chat/users.ts"
import { getOwnUser, getUser, getUserByEmail, getUsers } from "../chat/users-read.ts"

export const routes = [
  getServerSettings,
  fetchApiKey,
  devFetchApiKey,
  register,
  getEvents,
  deleteEvents,
  postMessages,
  getMessages,
  getMessage,
  postTyping,
  getUsers,
  postUsers,
  getOwnUser,
  deleteUser,
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
]
