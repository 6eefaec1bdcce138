/** A long poll as a queue's connection. It is answered once: with events, with none, or with an error. */
import type { HeldReply } from "../api/endpoint.ts"
import { badEventQueue, type RequestFailure, Unavailable, unauthorized } from "../api/errors.ts"
import type { QueueId } from "../ids.ts"
import { EventChain } from "./event-chain.ts"
import type { EndReason, QueueConnection } from "./queue.ts"

const nothing = EventChain.root().body()

const failureOf = (reason: EndReason, queueId: QueueId): RequestFailure | null => {
  switch (reason) {
    case "gone":
      return badEventQueue(queueId)
    case "unauthorized":
      return unauthorized("Account is deactivated")
    case "key-changed":
      return unauthorized("Invalid API key")
    case "realm-deactivated":
      return unauthorized("This organization has been deactivated")
    case "unavailable":
      return new Unavailable({ reason: "the log cannot be read" })
    default:
      return null
  }
}

/** One object without closures: garbage collection copies whatever a poll holds while it waits. */
export class PollConnection implements QueueConnection {
  readonly kind = "poll"
  readonly waits: boolean
  readonly #reply: HeldReply
  readonly #queueId: QueueId

  /** With `waits` false, the poll is answered at once where there are no events. */
  constructor(reply: HeldReply, queueId: QueueId, waits: boolean) {
    this.waits = waits
    this.#reply = reply
    this.#queueId = queueId
  }

  send(events: EventChain): "done" {
    this.#reply.send(events.body())
    return "done"
  }

  end(reason: EndReason): void {
    const failure = failureOf(reason, this.#queueId)
    if (failure === null) this.#reply.send(nothing)
    else this.#reply.fail(failure)
  }
}
