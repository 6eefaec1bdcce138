/**
 * DELETE /streams/{stream_id}: archives a channel (contract 3.8), and the rows by which one comes back. Subscriptions
 * stay. Clients who know archived channels are told of a property; all others see the channel go and come, and with it
 * the subscription and its subscribers.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, data, userEndpoint } from "../../endpoint.ts"
import { badRequest } from "../../errors.ts"
import { type Command, call, judged } from "../../events/command.ts"
import { inSet } from "../../events/event.ts"
import { ChannelId, idSchemas, UserId } from "../../ids.ts"
import type { JsonObject } from "../../json.ts"
import { id } from "../../params.ts"
import { bulkKind, chunkItems } from "../bulk/bulk.ts"
import { noticeCalls } from "../notices/notices.ts"
import { mayAdminister } from "../permissions/permissions.ts"
import { channelAudience, knowersOf, usersAudience } from "../permissions/sight.ts"
import type { Realm } from "../realm/realm.ts"
import { noChannel } from "../realm/realm-settings.ts"
import { Realms } from "../realm/realms.ts"
import type { ChannelRecord } from "../realm/records.ts"
import { requireActor } from "../requester/actor.ts"
import { inheritance } from "../subscriptions/subscription-steps.ts"
import { archivingNotice } from "./channel-notices.ts"
import { requireChannel } from "./channel-read.ts"
import { withoutChannel } from "./default-channels.ts"

/** Settings of the organization that name the channel name none from here on. */
const unnamed = (realm: Realm, id: ChannelId) => {
  const named = (["new_stream_announcements_stream_id", "moderation_request_channel_id"] as const).filter(
    (key) => realm.settings[key] === id,
  )
  return {
    settings: Object.fromEntries(named.map((key) => [key, noChannel])),
    rows: named.map((key) => ({
      type: "realm",
      payload: { op: "update", key, value: noChannel },
      audience: { kind: "realm" },
    })),
  }
}

const archive = (caller: Caller, id: ChannelId): Command<Realm, void> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      const channel = yield* requireChannel(realm, actor, id)
      if (!mayAdminister(realm, actor, channel))
        return yield* Result.fail(badRequest("You do not have permission to administer this channel."))
      if (channel.is_archived) return yield* Result.fail(badRequest("Channel is already deactivated"))
      const { settings, rows } = unnamed(realm, id)
      const archived: ChannelRecord = { ...channel, is_archived: true, is_default: false }
      return {
        channel_id: id,
        notices: noticeCalls(realm, [archivingNotice(actor, channel)]),
        settings,
        rows: [...withoutChannel(realm, id), ...rows],
        row: {
          payload: { op: "archive", channel: archived, subscriber_count: 0 },
          audience: channelAudience(realm, archived),
        },
      }
    })
    return judged(planned, (args) => call("archive_channels_v1", args, true))
  },
})

/** The subscribers get back what they had: the row to some of them, unless all have left meanwhile. */
const returnedRows = (
  realm: Realm,
  channel: ChannelRecord,
  users: ReadonlyArray<number>,
): ReadonlyArray<JsonObject> => {
  const id = channel.id
  const added = users.flatMap((each) => {
    const user = realm.users.get(UserId(each))
    const settings = realm.subscriptions.settings(UserId(each), id)
    return user === undefined || settings === undefined || !realm.isSubscribed(id, UserId(each))
      ? []
      : [{ user_id: each, settings: { ...settings }, ...inheritance(user) }]
  })
  if (added.length === 0) return []
  return [
    {
      type: "subscription",
      payload: { op: "add", channel: { ...channel }, added, returned: true },
      audience: usersAudience(added.map(({ user_id }) => user_id)),
    },
  ]
}

const Returning = Schema.Struct({ channel_id: idSchemas.channel, users: Schema.Array(idSchemas.user) })

/** The subscribers beyond the first chunk. A channel that is archived again has nothing to give back: that ends the work. */
export const returning = bulkKind(
  "return_subscribers",
  Schema.decodeUnknownSync(Returning),
  (realm, { channel_id, users }, from) => {
    const channel = realm.channels.get(channel_id)
    if (channel === undefined || channel.is_archived) return { call: null, next: null }
    const next = from + chunkItems
    const rows = returnedRows(realm, channel, users.slice(from, next))
    return {
      call: rows.length === 0 ? null : { fn: "change_subscriptions_v1", args: { rows } },
      next: next < users.length ? next : null,
    }
  },
)

/** A channel comes back: the rows, and what is left to do. `channel`: the record that is no longer archived. */
export const unarchive = (realm: Realm, channel: ChannelRecord) => {
  const subscribers = realm.subscribers(channel.id)
  const users = Array.from(subscribers, UserId)
  // Who is subscribed is told of all subscribers with the subscription.
  const others = knowersOf(realm, channel).filter((user) => !inSet(subscribers, UserId(user)))
  const rows: ReadonlyArray<JsonObject> = [
    {
      type: "stream",
      payload: { op: "unarchive", channel: { ...channel }, subscriber_count: 0 },
      audience: channelAudience(realm, channel),
    },
    ...returnedRows(realm, channel, users.slice(0, chunkItems)),
    {
      type: "subscription",
      payload: { op: "peer_add", channel_id: channel.id, user_ids: "all", returned: true },
      audience: usersAudience(others),
    },
  ]
  const rest = users.length > chunkItems ? returning.rest({ channel_id: channel.id, users }, chunkItems) : null
  return { rows, rest }
}

export const deleteStream = userEndpoint({
  method: "DELETE",
  path: "/streams/{stream_id:int}",
  summary: "Archives a channel; its messages and subscriptions stay.",
  params: { streamId: id("stream_id", ChannelId) },
  run: Effect.fnUntraced(function* (caller, { streamId }) {
    const realms = yield* Realms
    yield* realms.submit(caller.realm, archive(caller, streamId))
    return data()
  }),
})
