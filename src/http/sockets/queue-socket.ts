/**
 * A WebSocket as a queue's connection: frames of events out, acknowledgements in. The endpoint (socket-endpoint.ts) has
 * authenticated it; from here on the queue decides what is sent. Described for client authors in docs/protocol.md. Put
 * into the server by src/app.ts, which says how the queues of an owner are found.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Caller } from "../../api/endpoint.ts"
import { badRequest, type RequestFailure } from "../../api/errors.ts"
import { idSpan } from "../../events/event.ts"
import type { EventChain } from "../../events/event-chain.ts"
import type { EndReason, Queue, QueueConnection } from "../../events/queue.ts"
import type { EventQueues } from "../../events/queues/queues.ts"
import { WireId } from "../../ids.ts"
import { type CloseReason, closeReasons } from "../network/close-reasons.ts"
import type { AttachSocket, SocketHandlers, SocketPeer } from "../network/socket-peer.ts"
import type { SocketFrameForm } from "./frame-form.ts"

const reasonOf = (reason: EndReason): CloseReason => {
  switch (reason) {
    case "gone":
    case "deleted":
      return closeReasons.badQueue
    case "unauthorized":
    case "key-changed":
    case "realm-deactivated":
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

/** `{"ack": id}`, or null for anything else. */
const readAck = (value: unknown): WireId | null => {
  const ack = Predicate.isObject(value) ? value["ack"] : undefined
  return Predicate.isNumber(ack) && Number.isSafeInteger(ack) && ack >= -1 ? WireId(ack) : null
}

/** Reads `last_event_id` of the upgrade's query. */
const readCursor = (text: string): WireId | null =>
  /^(?:-1|\d{1,16})$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER - idSpan ? WireId(Number(text)) : null

/** Joins a socket and its queue: the connection for the queue, the handlers for the socket. */
class QueueSocket implements QueueConnection, SocketHandlers {
  readonly #peer: SocketPeer
  readonly #form: SocketFrameForm
  readonly #queue: Queue
  readonly #queues: EventQueues

  constructor(peer: SocketPeer, form: SocketFrameForm, queue: Queue, queues: EventQueues) {
    this.#peer = peer
    this.#form = form
    this.#queue = queue
    this.#queues = queues
  }

  get kind(): "socket" {
    return "socket"
  }
  get waits(): boolean {
    return true
  }

  send(events: EventChain): "open" | "stalled" {
    const form = this.#form
    return this.#peer.send(form.write(events), form.isBinary) === "stalled" ? "stalled" : "open"
  }

  end(reason: EndReason): void {
    this.#peer.close(reasonOf(reason))
  }

  onMessage(message: unknown): void {
    const ack = readAck(message)
    if (ack === null) this.#peer.close(closeReasons.protocolError, 'a frame must be {"ack": id}')
    else if (!this.#queues.acknowledge(this.#queue, ack)) this.#queue.disconnect("bad-ack")
  }

  onDrain(): void {
    this.#queue.drained()
  }

  onClose(): void {
    this.#queues.detach(this.#queue, this)
  }
}

/** The queues among which an owner has theirs. */
export interface OwnedQueues {
  readonly queues: EventQueues
  /** Whether the owner may still have them: they may have been deactivated, or have a new key, since the look-up. */
  readonly isOwnerAdmitted: () => boolean
}

/** Whose queue it is, and the version of the key that they signed with. */
export type QueueOwner = Pick<Caller, "realm" | "user" | "keyVersion">

export type FindQueues<R> = (owner: QueueOwner) => Effect.Effect<OwnedQueues, RequestFailure, R>

/** Finds the queue and checks the cursor. Answers the function that connects the open socket to the queue. */
export const prepareSocket = Effect.fnUntraced(function* <R>(
  findQueues: FindQueues<R>,
  owner: QueueOwner,
  queueId: string,
  lastEventId: string,
  form: SocketFrameForm,
) {
  const cursor = readCursor(lastEventId)
  if (cursor === null) return yield* badRequest("last_event_id is not an integer")
  const { queues, isOwnerAdmitted } = yield* findQueues(owner)
  const queue = yield* queues.require(owner.user, queueId)
  yield* queues.requireCursor(queue, cursor)
  const attach: AttachSocket = (peer) => {
    const socket = new QueueSocket(peer, form, queue, queues)
    if (isOwnerAdmitted()) queues.attach(queue, socket, cursor)
    else peer.close(closeReasons.unauthorized)
    return socket
  }
  return attach
})
