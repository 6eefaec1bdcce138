/** Reading channels: GET /streams and GET /get_stream_id (contract 3.8). */
import * as Effect from "effect/Effect"
import { data, userEndpoint } from "../endpoint.ts"
import { badRequest } from "../errors.ts"
import { ChannelId, UserId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { alias, boolean, text, withDefault } from "../params.ts"
import { requireActor } from "./actor.ts"
import { isGuest, mayKnowOf } from "./permissions.ts"
import type { Realm } from "./realm.ts"
import { Realms } from "./realms.ts"
import type { ChannelRecord, UserRecord } from "./records.ts"
import { fold } from "./values.ts"
import { wireChannel } from "./wire-records.ts"

/** A channel as it is listed now. */
export const channelNow = (realm: Realm, channel: ChannelRecord): JsonObject =>
  wireChannel(channel, realm.subscriptions.subscribers(ChannelId(channel.id)).length)

interface Wanted {
  readonly public: boolean
  readonly webPublic: boolean
  readonly subscribed: boolean
  readonly all: boolean
  readonly archived: boolean
}

const isListed = (realm: Realm, user: UserRecord, channel: ChannelRecord, wanted: Wanted): boolean => {
  if (!mayKnowOf(realm, user, channel) || (channel.is_archived && !wanted.archived)) return false
  if (wanted.all) return true
  if (wanted.public && !channel.is_private && !isGuest(user)) return true
  if (wanted.webPublic && channel.is_web_public) return true
  return wanted.subscribed && realm.subscriptions.isSubscribed(ChannelId(channel.id), UserId(user.id))
}

export const getStreams = userEndpoint({
  method: "GET",
  path: "/streams",
  summary: "Lists the channels that the requester may know of.",
  params: {
    includePublic: withDefault(boolean("include_public"), true),
    includeWebPublic: withDefault(boolean("include_web_public"), false),
    includeSubscribed: withDefault(boolean("include_subscribed"), true),
    includeAll: withDefault(alias(boolean("include_all"), "include_all_active"), false),
    includeDefault: withDefault(boolean("include_default"), false),
    excludeArchived: withDefault(boolean("exclude_archived"), true),
  },
  run: Effect.fnUntraced(function* (caller, params) {
    const realms = yield* Realms
    const { realm } = yield* realms.get(caller.realm)
    const user = yield* Effect.fromResult(requireActor(realm, caller))
    const wanted: Wanted = {
      public: params.includePublic,
      webPublic: params.includeWebPublic,
      subscribed: params.includeSubscribed,
      all: params.includeAll,
      archived: !params.excludeArchived,
    }
    const streams = [...realm.channels.values()]
      .filter((channel) => isListed(realm, user, channel, wanted))
      .sort((a, b) => (fold(a.name) < fold(b.name) ? -1 : 1))
      .map((channel) => ({
        ...channelNow(realm, channel),
        ...(params.includeDefault ? { is_default: channel.is_default } : {}),
      }))
    return data({ streams })
  }),
})

export const getStreamId = userEndpoint({
  method: "GET",
  path: "/get_stream_id",
  summary: "The id of a channel, by its name.",
  params: { stream: text("stream") },
  run: Effect.fnUntraced(function* (caller, { stream }) {
    const realms = yield* Realms
    const { realm } = yield* realms.get(caller.realm)
    const user = yield* Effect.fromResult(requireActor(realm, caller))
    const channel = realm.findChannelByName(stream.trim())
    if (channel === undefined || !mayKnowOf(realm, user, channel))
      return yield* badRequest(`Invalid channel name '${stream}'`)
    return data({ stream_id: channel.id })
  }),
})
