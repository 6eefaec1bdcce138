/** GET and DELETE /events: one queue, read by long poll (ids and edges: docs/protocol.md). */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, type EndpointReply, heldReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { boolean, integer, optional, text, withDefault } from "../../../api/params.ts"
import { PollConnection } from "../../../events/poll-connection.ts"
import type { Queue } from "../../../events/queue.ts"
import type { EventQueues } from "../../../events/queues/queues.ts"
import { WireId } from "../../../ids.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { Count } from "../../ground/wire/wire-values.ts"

/** The form of each event is defined by its kind (kinds/event-kind.ts), by its type and op. */
const Events = Schema.Struct({
  events: Schema.Array(
    Schema.StructWithRest(Schema.Struct({ id: Count, type: Schema.NonEmptyString }), [
      Schema.Record(Schema.String, Schema.Json),
    ]),
  ),
})

export const getEvents = userEndpoint({
  method: "GET",
  path: "/events",
  // What waits hears of everything; what does not sees to it itself.
  fresh: "none",
  limit: "poll",
  isReturn: true,
  summary: "Waits for the events of a queue after last_event_id, which acknowledges those up to it.",
  params: {
    queueId: optional(text("queue_id")),
    lastEventId: optional(integer("last_event_id", { min: -1 })),
    dontBlock: withDefault(boolean("dont_block"), false),
  },
  reply: Events,
  errors: ["BAD_EVENT_QUEUE_ID"],
  run: Effect.fnUntraced(function* (caller, { params: { queueId, lastEventId, dontBlock } }) {
    if (queueId === undefined) return yield* badRequest("Missing 'queue_id' argument")
    if (lastEventId === undefined) return yield* badRequest("Missing 'last_event_id' argument")
    const realms = yield* Realms
    const { queues, realm, peers } = yield* realms.get(caller.realm)
    if (dontBlock) yield* peers.fresh
    const queue = yield* queues.require(caller.user, queueId)
    const cursor = WireId(lastEventId)
    yield* queues.requireCursor(queue, cursor)
    // The requester may have been deactivated while the queue was looked up.
    yield* Effect.fromResult(requireActor(realm, caller))
    return holdPoll(queues, queue, cursor, dontBlock)
  }),
  quick: Effect.map(Realms, (realms) => (caller, { queueId, lastEventId, dontBlock }) => {
    if (dontBlock && !realms.isAlone) return undefined
    const queues = realms.running(caller.realm)?.queues
    if (queues === undefined || queueId === undefined || lastEventId === undefined) return undefined
    const cursor = WireId(lastEventId)
    const queue = queues.known(caller.user, queueId, cursor)
    return queue === undefined ? undefined : holdPoll(queues, queue, cursor, dontBlock)
  }),
})

const holdPoll = (queues: EventQueues, queue: Queue, cursor: WireId, dontBlock: boolean): EndpointReply =>
  heldReply((reply) => {
    const connection = new PollConnection(reply, queue.spec.id, !dontBlock)
    reply.onClose(() => queues.detach(queue, connection))
    queues.attach(queue, connection, cursor)
  })

export const deleteEvents = userEndpoint({
  method: "DELETE",
  path: "/events",
  fresh: "onRefusal",
  limit: "poll",
  summary: "Deletes a queue; a waiting poll of it is answered at once.",
  params: { queueId: text("queue_id") },
  reply: noFields,
  errors: ["BAD_EVENT_QUEUE_ID"],
  run: Effect.fnUntraced(function* (caller, { params: { queueId } }) {
    const realms = yield* Realms
    const { queues } = yield* realms.get(caller.realm)
    const queue = yield* queues.require(caller.user, queueId)
    yield* queues.remove(queue, "deleted")
    return dataReply()
  }),
})
