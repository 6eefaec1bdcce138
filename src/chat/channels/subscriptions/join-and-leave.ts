/**
 * PATCH /users/me/subscriptions: subscribes the requester to channels and unsubscribes them from others in one command,
 * so that a lost database connection cannot leave one half done. Subscribing comes first: a channel that is named in
 * both lists is joined, then left.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { decodeParams, json, withDefault } from "../../../api/params.ts"
import { list, string } from "../../../api/shapes.ts"
import { Config, type ConfigShape } from "../../../config/config.ts"
import { done, judgementOf } from "../../../events/command.ts"
import type { CommandStep } from "../../../events/step.ts"
import { Bulk, type BulkCommand, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import type { RemainingWork } from "../../ground/bulk/bulk-kind.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { channelParams } from "../channels/channel-params.ts"
import { mostNamed } from "./principals.ts"
import { answerOf, channelsShape, readChannels, subscribed } from "./subscribe.ts"
import { planSubscribing, type SubscribeAnswer, type SubscribePlan, type SubscribeRequest } from "./subscribe-plan.ts"
import { beginLeaving } from "./subscription-chunks.ts"
import { findSubscriptions, type UnsubscribeAnswer, unsubscribed } from "./subscriptions.ts"

interface ChangedSubscriptions {
  readonly added: SubscribeAnswer
  readonly left: UnsubscribeAnswer
}

interface SubscriptionPlan {
  readonly answer: ChangedSubscriptions
  readonly steps: ReadonlyArray<CommandStep>
  readonly rest: RemainingWork | null
}

/** The plan of a request that joins nothing. */
const joinNothing: SubscribePlan = {
  answer: { subscribed: new Map(), already: new Map(), unauthorized: [], messagesSent: false },
  steps: [],
  pairs: { channels: [], users: [] },
  begun: { steps: [], next: null, cost: 0, joined: [] },
}

const plan = (
  realm: Realm,
  actor: UserRecord,
  wish: SubscribeRequest,
  names: ReadonlyArray<string>,
  config: ConfigShape,
): Checked<SubscriptionPlan> =>
  Result.gen(function* () {
    const joining = wish.channels.length === 0 ? joinNothing : yield* planSubscribing(realm, actor, wish, config)
    const joined = new Set(joining.answer.subscribed.get(actor.id))
    const joins = (_user: UserRecord, channel: ChannelRecord) => joined.has(channel.name)
    const { pairs, ...left } = yield* findSubscriptions(realm, actor, names, undefined, joins)
    const leaving = beginLeaving(realm, { add: joining.pairs, remove: pairs }, joining.begun, joins)
    return {
      answer: { added: joining.answer, left },
      steps: [...joining.steps, ...leaving.steps],
      rest: leaving.rest,
    }
  })

const joinAndLeave = (
  caller: Caller,
  wish: SubscribeRequest,
  names: ReadonlyArray<string>,
  config: ConfigShape,
): BulkCommand<ChangedSubscriptions> => ({
  judge: (realm) =>
    judgementOf(
      Result.flatMap(requireActor(realm, caller), (actor) => plan(realm, actor, wish, names, config)),
      ({ steps, rest, answer }): BulkJudgement<ChangedSubscriptions> =>
        steps.length === 0 ? done(answer) : begin(steps, rest, { answer: () => answer }),
    ),
})

export const patchSubscriptions = userEndpoint({
  method: "PATCH",
  path: "/users/me/subscriptions",
  fresh: "onRefusal",
  summary: "Subscribes the requester to channels, then unsubscribes them from others.",
  params: {
    add: withDefault(json("add", channelsShape), []),
    remove: withDefault(json("delete", list(string, mostNamed)), []),
  },
  reply: Schema.Struct({ ...subscribed, ...unsubscribed }),
  errors: ["STREAM_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params: { add, remove } }) {
    const bulk = yield* Bulk
    const config = yield* Config
    if (add.length + remove.length === 0)
      return yield* badRequest('Nothing to do. Specify at least one of "add" or "delete".')
    const channels = yield* readChannels(caller, add, config.limits)
    // A new channel gets the default of every property that POST has a parameter for.
    const made = yield* Effect.fromResult(decodeParams(channelParams, new Map()))
    const wish: SubscribeRequest = {
      channels,
      principals: undefined,
      made,
      announce: false,
      fatal: true,
      messages: false,
    }
    const { added, left } = yield* bulk.run(caller.realm, joinAndLeave(caller, wish, remove, config))
    return dataReply({ ...answerOf(added), removed: left.removed, not_removed: left.notRemoved })
  }),
})
