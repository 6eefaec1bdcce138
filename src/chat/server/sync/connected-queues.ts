/**
 * The queues that the server connects to WebSockets, and lets go of when it ends: http/sockets/queue-socket.ts and app.ts ask
 * here.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import type { ClockShape } from "../../../clock.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { requireActor } from "../../ground/requester/actor.ts"

/** The queues of the owner's organization, and whether the owner may still have them, asked when one is connected. */
export const findQueues = Effect.fnUntraced(function* (owner: Pick<Caller, "realm" | "user" | "keyVersion">) {
  const realms = yield* Realms
  const { queues, realm } = yield* realms.get(owner.realm)
  return { queues, isOwnerAdmitted: () => Result.isSuccess(requireActor(realm, owner)) }
})

/** A draining server ends its sockets one after the other, so that clients do not all come back at once: so many in two seconds. */
const usualConnections = 2_000
const leastMilliseconds = 2_000
/** At this many it takes the longest, which those who stop a server wait for. */
const mostConnections = 50_000
const mostMilliseconds = 10_000
const stepMilliseconds = 100

/** In how many steps, 100 ms apart, so many connections are ended: more of them take longer, but not as much longer. */
export const drainSteps = (connections: number): number => {
  const share = Math.min(1, Math.max(0, (connections - usualConnections) / (mostConnections - usualConnections)))
  return Math.round((leastMilliseconds + share * (mostMilliseconds - leastMilliseconds)) / stepMilliseconds)
}

/** Closes the polls and sockets of all queues in steps, with a reason that makes clients reconnect. */
export const sendAway = Effect.fnUntraced(function* (realms: Realms["Service"], clock: ClockShape) {
  const queues = realms.loaded().flatMap((realm) => realm.queues.connected())
  const perStep = Math.ceil(queues.length / drainSteps(queues.length))
  for (let from = 0; from < queues.length; from += perStep) {
    for (const queue of queues.slice(from, from + perStep)) queue.disconnect("going-away")
    if (from + perStep >= queues.length) return
    yield* Effect.callback<void>((resume) => void clock.after(stepMilliseconds, () => resume(Effect.void)))
  }
})
