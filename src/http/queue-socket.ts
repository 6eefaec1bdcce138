/**
 * A WebSocket as a queue's connection: frames of events out, acknowledgements in. The door (socket.ts) has
 * authenticated it; from here on the queue decides what is sent. Written down for strangers in docs/protocol.md.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import { Realms } from "../chat/realms.ts"
import { badRequest } from "../errors.ts"
import { idSpan } from "../events/event.ts"
import type { Connection, EndReason } from "../events/queue.ts"
import type { RealmId, UserId } from "../ids.ts"
import { WireId } from "../ids.ts"
import { type CloseReason, closeReasons } from "./close-reasons.ts"
import type { Attach, SocketPeer } from "./socket-peer.ts"

const reasonOf = (reason: EndReason): CloseReason => {
  switch (reason) {
    case "gone":
    case "deleted":
      return closeReasons.badQueue
    case "unauthorized":
      return closeReasons.unauthorized
    case "replaced":
      return closeReasons.replaced
    case "slow":
      return closeReasons.slowReader
    case "no-ack":
      return closeReasons.noAck
    case "bad-ack":
      return closeReasons.protocolError
    case "waited":
    case "going-away":
    case "unavailable":
      return closeReasons.goingAway
  }
}

const connectionOf = (peer: SocketPeer): Connection => ({
  kind: "socket",
  waits: true,
  send: (events) => (peer.send(events.frame()) === "stalled" ? "stalled" : "open"),
  end: (reason) => peer.close(reasonOf(reason)),
})

/** `{"ack": id}`, or null for anything else. */
const readAck = (text: string): WireId | null => {
  try {
    const value: unknown = JSON.parse(text)
    const ack = Predicate.isObject(value) ? value["ack"] : undefined
    return Predicate.isNumber(ack) && Number.isSafeInteger(ack) && ack >= -1 ? WireId(ack) : null
  } catch {
    return null
  }
}

/** `last_event_id` as it stands in the upgrade's query. */
const readCursor = (text: string): WireId | null =>
  /^(?:-1|\d{1,16})$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER - idSpan ? WireId(Number(text)) : null

/** Finds the queue and checks the cursor; what it answers takes the open socket over. */
export const prepareSocket = Effect.fnUntraced(function* (
  who: { readonly realm: RealmId; readonly user: UserId },
  queueId: string,
  lastEventId: string,
) {
  const cursor = readCursor(lastEventId)
  if (cursor === null) return yield* badRequest("last_event_id is not an integer")
  const realms = yield* Realms
  const { queues, realm } = yield* realms.get(who.realm)
  const queue = yield* queues.require(who.user, queueId)
  yield* queues.requireCursor(queue, cursor)
  const attach: Attach = (peer) => {
    const connection = connectionOf(peer)
    // They may have been deactivated since the look-up.
    if (realm.isActive(who.user)) queues.attach(queue, connection, cursor)
    else peer.close(closeReasons.unauthorized)
    return {
      onMessage: (text) => {
        const ack = readAck(text)
        if (ack === null) peer.close(closeReasons.protocolError, 'a frame must be {"ack": id}')
        else if (!queues.acknowledge(queue, ack)) queue.disconnect("bad-ack")
      },
      onDrain: () => queue.drained(),
      onClose: () => queues.detach(queue, connection),
    }
  }
  return attach
})
