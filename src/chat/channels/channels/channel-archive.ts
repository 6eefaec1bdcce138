/**
 * Archives a channel (DELETE /streams/{stream_id}), and makes the rows that unarchive one. Subscriptions stay in either
 * case. A client with the capability `archived_channels` reads that the property `is_archived` changes; for all others
 * the channel is deleted and created again, with their subscription and its subscribers.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { toRealm, toUsers } from "../../../events/audience.ts"
import { type Command, change, judgementOf } from "../../../events/command.ts"
import { inSet } from "../../../events/event.ts"
import type { NewRow } from "../../../events/step.ts"
import { ChannelId, idSchemas, UserId } from "../../../ids.ts"
import { bulkKind, chunkItems } from "../../ground/bulk/bulk-kind.ts"
import { realmRows } from "../../ground/kinds/realm-row.ts"
import { streamRows } from "../../ground/kinds/stream-row.ts"
import { subscriptionRows } from "../../ground/kinds/subscription-row.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { channelAudience, viewersOf } from "../../ground/permissions/channel-visibility.ts"
import { mayAdminister } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { noChannel } from "../../ground/realm/realm-settings.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { ChannelRecord } from "../../ground/realm/records.ts"
import { inheritance } from "../../ground/realm/subscription-settings.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { archivingNotice } from "./channel-notices.ts"
import { withoutChannel } from "./default-channels.ts"

/** Resets the settings of the organization that name the channel. */
const unnamingRows = ({ settings }: Realm, id: ChannelId): ReadonlyArray<NewRow> =>
  (["new_stream_announcements_stream_id", "signup_announcements_stream_id", "moderation_request_channel_id"] as const)
    .filter((key) => settings[key] === id)
    .map((key) => realmRows.change({ op: "update", key, value: noChannel }, toRealm))

const archive = (caller: Caller, id: ChannelId): Command<Realm, void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      const channel = yield* requireChannel(realm, actor, id)
      if (!mayAdminister(realm, actor, channel))
        return yield* Result.fail(badRequest("You do not have permission to administer this channel."))
      if (channel.is_archived) return yield* Result.fail(badRequest("Channel is already deactivated"))
      // The notice comes first: every subscriber still has the channel then.
      return [
        ...noticeSteps(realm, [archivingNotice(actor, channel)]),
        ...withoutChannel(realm, id),
        ...unnamingRows(realm, id),
        streamRows.change(
          { op: "archive", channel_id: id, name: channel.name },
          channelAudience(realm, { ...channel, is_archived: true }),
        ),
      ]
    })
    return judgementOf(planned, (steps) => change(steps))
  },
})

/** The row that tells some subscribers of their subscription again; none if all of them have left meanwhile. */
const returnedRows = (realm: Realm, channel: ChannelRecord, users: ReadonlyArray<UserId>): ReadonlyArray<NewRow> => {
  const added = users.flatMap((user_id) => {
    const user = realm.users.get(user_id)
    const settings = realm.subscriptions.settings(user_id, channel.id)
    return user === undefined || settings === undefined || !realm.isSubscribed(channel.id, user_id)
      ? []
      : [{ user_id, settings, ...inheritance(user) }]
  })
  if (added.length === 0) return []
  const payload = { op: "add", channel, added, returned: true } as const
  return [subscriptionRows.tell(payload, toUsers(added.map(({ user_id }) => user_id)))]
}

const Returning = Schema.Struct({ channel_id: idSchemas.channel, users: Schema.Array(idSchemas.user) })

/** Tells the subscribers beyond the first chunk. Ends early if the channel is archived again meanwhile. */
export const returning = bulkKind(
  "return_subscribers",
  Schema.decodeUnknownSync(Returning),
  (realm, { channel_id, users }, from) => {
    const channel = realm.channels.get(channel_id)
    if (channel === undefined || channel.is_archived) return { steps: [], next: null }
    const next = from + chunkItems
    return { steps: returnedRows(realm, channel, users.slice(from, next)), next: next < users.length ? next : null }
  },
)

/** The rows that unarchive a channel, and the subscribers left for later chunks. `channel`: the unarchived record. */
export const unarchive = (realm: Realm, channel: ChannelRecord) => {
  const subscribers = realm.subscribers(channel.id)
  const users = Array.from(subscribers, UserId)
  // The subscribers themselves get the list of subscribers with their subscription.
  const others = viewersOf(realm, channel).filter((user) => !inSet(subscribers, UserId(user)))
  const rows: ReadonlyArray<NewRow> = [
    streamRows.change({ op: "unarchive", channel, subscriber_count: 0 }, channelAudience(realm, channel)),
    ...returnedRows(realm, channel, users.slice(0, chunkItems)),
    subscriptionRows.tell(
      { op: "peer_add", channel_id: channel.id, user_ids: "all", returned: true },
      toUsers(Array.from(others, UserId)),
    ),
  ]
  const rest = users.length > chunkItems ? returning.rest({ channel_id: channel.id, users }, chunkItems) : null
  return { rows, rest }
}

export const deleteStream = userEndpoint({
  method: "DELETE",
  path: "/streams/{stream_id:int}",
  fresh: "onRefusal",
  summary: "Archives a channel; its messages and subscriptions stay.",
  params: { streamId: id("stream_id", ChannelId) },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { streamId } }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, archive(caller, streamId))
    return dataReply()
  }),
})
