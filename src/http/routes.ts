/** The one table of all endpoints: what this server answers to below /api/v1. */
import { regenerateApiKey } from "../chat/api-key.ts"
import { getStream, getStreamMembers, getSubscriptionStatus } from "../chat/channel-read.ts"
import { getStreamId, getStreams } from "../chat/channels.ts"
import { getDevUsers } from "../chat/dev-users.ts"
import { devFetchApiKey, fetchApiKey } from "../chat/fetch-key.ts"
import { getMessage, getMessages } from "../chat/messages/fetch.ts"
import { postMessages } from "../chat/messages/send.ts"
import { getTopics } from "../chat/messages/topics.ts"
import { reactivateUser } from "../chat/reactivate.ts"
import { patchUser } from "../chat/roles.ts"
import { getServerSettings } from "../chat/server-settings.ts"
import { postSubscriptions } from "../chat/subscribe.ts"
import { deleteSubscriptions, getSubscriptions } from "../chat/subscriptions.ts"
import { deleteEvents, getEvents } from "../chat/sync/events.ts"
import { register } from "../chat/sync/register.ts"
import { postTyping } from "../chat/typing.ts"
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
]
