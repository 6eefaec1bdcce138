/**
 * POST /streams/{stream_id}/delete_topic: deletes the messages of a topic that the requester may read, part by part. A
 * topic in which they may read nothing is answered like one that does not exist: there is nothing to delete.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id, text } from "../../../api/params.ts"
import { UserReads } from "../../../db/reads.ts"
import { done, judgementOf } from "../../../events/command.ts"
import { ChannelId } from "../../../ids.ts"
import { Bulk, type BulkJudgement, begin } from "../../ground/bulk/bulk.ts"
import { requireChannel } from "../../ground/permissions/channel-access.ts"
import { mayDeleteAny, mayReadHistory, mayReadMessage } from "../../ground/permissions/permissions.ts"
import { fold, readTopic } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { findTopicMessages } from "../message-moves/topic-store.ts"
import { type DeletionArgs, deletingTopic, deletionSteps, partSize } from "./topic-deletion-steps.ts"

/** The channel, if the user may delete the messages of others there. */
const requireDeletable = (realm: Realm, user: UserRecord, streamId: ChannelId) =>
  Result.flatMap(requireChannel(realm, user, streamId), (channel) =>
    mayDeleteAny(realm, user, channel)
      ? Result.succeed({
          channel,
          isHeldOnly: !mayReadHistory(realm, user, channel),
          readsHeld: mayReadMessage(realm, user, channel, true),
        })
      : Result.fail(badRequest("You don't have permission to delete this message")),
  )

const findDeleted = Effect.fnUntraced(function* (caller: Caller, streamId: ChannelId, topicFolded: string) {
  const { realm, user } = yield* requireAccount(caller)
  const { channel, isHeldOnly, readsHeld } = yield* Effect.fromResult(requireDeletable(realm, user, streamId))
  if (!readsHeld) return { bounds: [], end: 0 }
  const reading = (yield* UserReads).begin(requesterName(caller))
  const range = { channel: channel.id, topicFolded, low: 0, isHeldOnly, since: 0 }
  const end = realm.position + 1
  const { bounds } = yield* findTopicMessages(reading, { realm: realm.id, user: user.id }, range, partSize)
  return { bounds: bounds.filter((low) => low < end), end }
})

export const deleteTopic = userEndpoint({
  method: "POST",
  path: "/streams/{stream_id:int}/delete_topic",
  fresh: "onRefusal",
  summary: "Deletes the messages of a topic.",
  params: { streamId: id("stream_id", ChannelId), topic: text("topic_name") },
  reply: Schema.Struct({ complete: Schema.Literal(true) }),
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { streamId, topic } }) {
    const topic_folded = fold(readTopic(topic))
    const { bounds, end } = yield* findDeleted(caller, streamId, topic_folded)
    yield* (yield* Bulk).run(caller.realm, {
      judge: (now) =>
        judgementOf(
          Result.gen(function* () {
            const user = yield* requireActor(now, caller)
            return { user, ...(yield* requireDeletable(now, user, streamId)) }
          }),
          ({ user, channel, isHeldOnly, readsHeld }): BulkJudgement<void> => {
            if (bounds.length === 0 || !readsHeld) return done(undefined)
            const args: DeletionArgs = {
              user_id: user.id,
              channel_id: channel.id,
              topic_folded,
              bounds,
              end,
              is_held_only: isHeldOnly,
            }
            return begin(deletionSteps(now, args, 0), bounds.length > 1 ? deletingTopic.rest(args, 1) : null)
          },
        ),
    })
    return dataReply({ complete: true })
  }),
})
