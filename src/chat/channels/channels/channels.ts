/** Lists of channels: GET /streams with its flags, and GET /get_stream_id. A single one: channel-read.ts. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, eitherEndpoint, requesterKind, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { alias, boolean, text, withDefault } from "../../../api/params.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import type { JsonObject } from "../../../json.ts"
import { listInPieces } from "../../../json-pieces.ts"
import {
  findOwner,
  isGuest,
  isOpenToVisitors,
  mayKnowOf,
  mayReadContent,
} from "../../ground/permissions/permissions.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { requireAccount, requireReader } from "../../ground/requester/requester.ts"
import { channelFields, ofAKind, wireChannel } from "../../ground/wire/wire-channel.ts"
import { Id } from "../../ground/wire/wire-values.ts"

/** The record of a channel in a list, with its present number of subscribers. */
export const channelNow = (realm: Realm, channel: ChannelRecord): JsonObject =>
  wireChannel(channel, realm.subscribers(channel.id).length, realm.isActive)

interface ChannelListFilter {
  readonly public: boolean
  readonly webPublic: boolean
  readonly subscribed: boolean
  readonly all: boolean
  readonly readable: boolean
  /** The owner of the bot that asks, if the owner's channels are wanted too. */
  readonly owner: UserRecord | undefined
  readonly archived: boolean
}

const isListed = (realm: Realm, user: UserRecord, channel: ChannelRecord, wanted: ChannelListFilter): boolean => {
  const isIn = ({ id }: UserRecord) => realm.subscriptions.isSubscribed(channel.id, id)
  if (channel.is_archived && !wanted.archived) return false
  // A bot may know of the channels of its owner, because it may post there.
  if (wanted.owner !== undefined && isIn(wanted.owner)) return true
  if (!mayKnowOf(realm, user, channel)) return false
  if (wanted.all) return true
  if (wanted.public && !channel.is_private && !isGuest(user)) return true
  if (wanted.webPublic && channel.is_web_public) return true
  if (wanted.readable && mayReadContent(realm, user, channel)) return true
  return wanted.subscribed && isIn(user)
}

/** Whether a visitor without an account finds the channel in the list; a web-public channel counts as public, too. */
const isListedToVisitors = (channel: ChannelRecord, wanted: ChannelListFilter): boolean =>
  isOpenToVisitors(channel) && (wanted.all || wanted.public || wanted.webPublic || wanted.readable)

const ListedChannel = Schema.Struct({ ...channelFields, is_default: Schema.optionalKey(Schema.Boolean) })
  .check(ofAKind)
  .annotate({ identifier: "ListedChannel" })

/** About how many bytes a record has. */
const channelBytes = 1200

export const getStreams = eitherEndpoint({
  method: "GET",
  path: "/streams",
  summary: "Lists the channels that the requester may know of; to a visitor, those that are open to the web.",
  params: {
    includePublic: withDefault(boolean("include_public"), true),
    includeWebPublic: withDefault(boolean("include_web_public"), false),
    includeSubscribed: withDefault(boolean("include_subscribed"), true),
    includeAll: withDefault(alias(boolean("include_all"), "include_all_active"), false),
    includeDefault: withDefault(boolean("include_default"), false),
    includeOwnerSubscribed: withDefault(boolean("include_owner_subscribed"), false),
    includeReadable: withDefault(boolean("include_can_access_content"), false),
    excludeArchived: withDefault(boolean("exclude_archived"), true),
  },
  reply: Schema.Struct({ streams: Schema.Array(ListedChannel) }),
  errors: [],
  run: Effect.fnUntraced(function* (who, { params }) {
    const { realm } = yield* requireReader(who)
    const write = ({ channel }: { readonly channel: ChannelRecord }) =>
      JSON.stringify({
        ...channelNow(realm, channel),
        ...(params.includeDefault ? { is_default: channel.is_default } : {}),
      })
    // When there is room for the answer: what they may see may have changed meanwhile.
    const members = Effect.gen(function* () {
      const { user } = yield* requireReader(who)
      const wanted: ChannelListFilter = {
        public: params.includePublic,
        webPublic: params.includeWebPublic,
        subscribed: params.includeSubscribed,
        all: params.includeAll,
        readable: params.includeReadable,
        owner: params.includeOwnerSubscribed && user !== null ? findOwner(realm, user) : undefined,
        archived: !params.excludeArchived,
      }
      const streams = [...realm.channels.values()]
        .filter((channel) =>
          user === null ? isListedToVisitors(channel, wanted) : isListed(realm, user, channel, wanted),
        )
        .map((channel) => ({ channel, key: fold(channel.name) }))
        .sort((a, b) => (a.key < b.key ? -1 : 1))
      return [yield* listInPieces("streams", streams, write)]
    })
    return yield* (yield* LargeAnswers).answer(
      requesterName(who),
      realm.channels.size * channelBytes,
      members,
      requesterKind(who),
    )
  }),
})

export const getStreamId = userEndpoint({
  method: "GET",
  path: "/get_stream_id",
  summary: "The id of a channel, by its name.",
  params: { stream: text("stream") },
  reply: Schema.Struct({ stream_id: Id }),
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { stream } }) {
    const { realm, user } = yield* requireAccount(caller)
    const channel = realm.findChannelByName(stream.trim())
    if (channel === undefined || !mayKnowOf(realm, user, channel))
      return yield* badRequest(`Invalid channel name '${stream}'`)
    return dataReply({ stream_id: channel.id })
  }),
})
