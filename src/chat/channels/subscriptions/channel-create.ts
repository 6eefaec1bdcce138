/**
 * POST /channels/create: makes a channel with its first subscribers, who need not include its creator. If there are
 * very many subscribers, those beyond the first chunk follow in further commits. A taken name is an error even where
 * the requester may not see the channel that has it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { anyLength, boolean, json, text, withDefault } from "../../../api/params.ts"
import { integer, list } from "../../../api/shapes.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import { judgementOf } from "../../../events/command.ts"
import type { ChannelId } from "../../../ids.ts"
import { Bulk, type BulkCommand, begin } from "../../ground/bulk/bulk.ts"
import { nameTaken } from "../../ground/permissions/channel-access.ts"
import { isGuest, mayAddFirstSubscribers } from "../../ground/permissions/permissions.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { readChannelDescription, readChannelName } from "../../ground/requester/read-names.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { creationNotices } from "../channels/channel-notices.ts"
import { channelParams, type NewChannelParams } from "../channels/channel-params.ts"
import { defaultChannelRows } from "../channels/default-channels.ts"
import { renderDescription, requireNewChannel } from "../channels/new-channel.ts"
import { mostPrincipals, requirePrincipals } from "./principals.ts"
import { beginSubscribing, restOfPairs } from "./subscription-chunks.ts"

interface ChannelCreateRequest extends NewChannelParams {
  readonly name: string
  readonly description: string
  readonly subscribers: ReadonlyArray<number>
  readonly announce: boolean
}

const create = (caller: Caller, wish: ChannelCreateRequest, config: ConfigShape): BulkCommand<ChannelId> => ({
  judge: (realm) => {
    const planned = Result.gen(function* () {
      const actor = yield* requireActor(realm, caller)
      if (isGuest(actor)) return yield* Result.fail(badRequest("Not allowed for guest users"))
      const { name, description, subscribers, announce } = wish
      const id = realm.nextChannelId()
      const identity = { id, name, description, rendered: renderDescription(realm, description) }
      const channel = yield* requireNewChannel(realm, actor, identity, wish, config)
      const known = realm.findChannelByName(name)
      if (known !== undefined) return yield* Result.fail(nameTaken(realm, actor, known, name))
      const people = yield* requirePrincipals(realm, actor, subscribers)
      if (people.some((user) => user.id !== actor.id) && !mayAddFirstSubscribers(realm, actor, channel))
        return yield* Result.fail(badRequest("Insufficient permission"))
      const pairs = { channels: [{ id, color: null }], users: people.map((user) => user.id) }
      const begun = beginSubscribing(realm, pairs, new Map([[id, channel]]))
      const steps = [
        ...begun.steps,
        ...(channel.is_default ? defaultChannelRows(realm, channel.id, true) : []),
        ...noticeSteps(realm, creationNotices(realm, actor, channel, announce)),
      ]
      return { id, steps, rest: restOfPairs(pairs, begun) }
    })
    return judgementOf(planned, ({ id, steps, rest }) => begin(steps, rest, { answer: () => id }))
  },
})

export const createChannel = userEndpoint({
  method: "POST",
  path: "/channels/create",
  fresh: "onRefusal",
  summary: "Makes a channel with its first subscribers.",
  params: {
    name: text("name"),
    description: withDefault(text("description", anyLength), ""),
    subscribers: json("subscribers", list(integer, mostPrincipals)),
    announce: withDefault(boolean("announce"), false),
    /** Nobody gets a direct message about a channel that is made with them, whatever it says: the channel's first message tells. */
    messages: withDefault(boolean("send_new_subscription_messages"), true),
    ...channelParams,
  },
  reply: Schema.Struct({ id: Id }),
  errors: ["REQUEST_VARIABLE_INVALID", "UNAUTHORIZED_PRINCIPAL", "CHANNEL_ALREADY_EXISTS"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const bulk = yield* Bulk
    const config = yield* Config
    const name = yield* Effect.fromResult(readChannelName(params.name, config.limits))
    const description = yield* Effect.fromResult(readChannelDescription(params.description, config.limits))
    const id = yield* bulk.run(caller.realm, create(caller, { ...params, name, description }, config))
    return dataReply({ id })
  }),
})
