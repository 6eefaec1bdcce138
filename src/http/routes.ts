/** The one table of all endpoints: what this server answers to below /api/v1. */
import { getStreamId, getStreams } from "../chat/channels.ts"
import { getMessage, getMessages } from "../chat/messages/fetch.ts"
import { postMessages } from "../chat/messages/send.ts"
import { getServerSettings } from "../chat/server-settings.ts"
import { devFetchApiKey, fetchApiKey } from "../chat/sign-in.ts"
import { postSubscriptions } from "../chat/subscribe.ts"
import { deleteSubscriptions, getSubscriptions } from "../chat/subscriptions.ts"
import { deleteEvents, getEvents } from "../chat/sync/events.ts"
import { register } from "../chat/sync/register.ts"
import { postTyping } from "../chat/typing.ts"
import { deleteUser, postUsers } from "../chat/users.ts"
import { getOwnUser, getUsers } from "../chat/users-read.ts"

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
]
