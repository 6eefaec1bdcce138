/**
 * Reads one channel: GET /streams/{stream_id}, its members, whether a user is subscribed, and its email address. A
 * channel that the requester may not know of is answered exactly like one that does not exist.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, eitherEndpoint, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, noSuchUser } from "../../../api/errors.ts"
import { id, optional } from "../../../api/params.ts"
import { ChannelId, UserId } from "../../../ids.ts"
import { requireChannel, requireChannelFor } from "../../ground/permissions/channel-access.ts"
import { findUser } from "../../ground/realm/acquaintance/find-user.ts"
import { requireAccount, requireReader } from "../../ground/requester/requester.ts"
import { Channel } from "../../ground/wire/wire-channel.ts"
import { SortedIds } from "../../ground/wire/wire-values.ts"
import { channelNow } from "./channels.ts"

const streamId = id("stream_id", ChannelId)

export const getStream = eitherEndpoint({
  method: "GET",
  path: "/streams/{stream_id:int}",
  summary: "One channel, archived or not.",
  params: { streamId },
  reply: Schema.Struct({ stream: Channel }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { params: { streamId } }) {
    const { realm, user } = yield* requireReader(who)
    const channel = yield* Effect.fromResult(requireChannelFor(realm, user, streamId))
    return dataReply({ stream: channelNow(realm, channel) })
  }),
})

export const getStreamMembers = userEndpoint({
  method: "GET",
  path: "/streams/{stream_id:int}/members",
  summary: "Who is subscribed to a channel.",
  params: { streamId },
  reply: Schema.Struct({ subscribers: SortedIds }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { streamId } }) {
    const { realm, user } = yield* requireAccount(caller)
    const channel = yield* Effect.fromResult(requireChannel(realm, user, streamId))
    return dataReply({ subscribers: Array.from(realm.subscribers(channel.id)) })
  }),
})

export const getSubscriptionStatus = userEndpoint({
  method: "GET",
  path: "/users/{user_id:int}/subscriptions/{stream_id:int}",
  summary: "Whether a user is subscribed to a channel.",
  params: { userId: id("user_id", UserId), streamId },
  reply: Schema.Struct({ is_subscribed: Schema.Boolean }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { userId, streamId } }) {
    const { realm, user } = yield* requireAccount(caller)
    const target = findUser(realm, user, userId)
    if (target === undefined) return yield* noSuchUser()
    const channel = yield* Effect.fromResult(requireChannel(realm, user, streamId))
    return dataReply({ is_subscribed: realm.subscriptions.isSubscribed(channel.id, target.id) })
  }),
})

export const getStreamEmailAddress = userEndpoint({
  method: "GET",
  path: "/streams/{stream_id:int}/email_address",
  summary: "A channel's email address; always refused, because this server receives no mail.",
  params: { streamId, senderId: optional(id("sender_id", UserId)) },
  reply: Schema.Never,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { streamId, senderId } }) {
    const { realm, user } = yield* requireAccount(caller)
    yield* Effect.fromResult(requireChannel(realm, user, streamId))
    if (senderId !== undefined && findUser(realm, user, senderId) === undefined) return yield* noSuchUser()
    return yield* badRequest("This server receives no mail, so its channels have no email addresses")
  }),
})
