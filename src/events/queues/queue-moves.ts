/**
 * Queues that several processes serve: a client may come to any of them at any time. Whoever has the newest request for a queue has
 * the queue, by the database's clock; the process that takes one up tells the others, and the one before lets it go. What is lost
 * on the way is found when that one stores the queue's progress, and costs no event: a client's cursor decides what it gets.
 */
import * as Schema from "effect/Schema"
import type { NoteListener } from "../peers/notes.ts"
import type { Peers } from "../peers/peers.ts"
import type { EndReason } from "../queue.ts"
import type { QueueHolders } from "../queue-store.ts"
import type { HeldQueue, HeldQueues } from "./held-queues.ts"

/** Queues of a note, at most: each with its number has some 70 bytes. */
const queuesOfNote = 64

const Moved = Schema.Array(Schema.Tuple([Schema.String, Schema.Number]))
const Ended = Schema.Tuple([Schema.Literals(["gone", "deleted"]), Schema.Array(Schema.String)])
const isMoved = Schema.is(Moved)
const isEnded = Schema.is(Ended)

export interface QueueMovesOptions {
  readonly peers: Pick<Peers, "own" | "tell" | "hear">
  readonly held: Pick<HeldQueues, "get">
  /** Another process has the queue: its connection ends here, and it is forgotten. */
  readonly letGo: (entry: HeldQueue, reason: EndReason) => void
  /** The queue is gone for good. */
  readonly forget: (id: string, reason: EndReason) => void
  /** Runs a task in a later turn of the loop. */
  readonly defer: (task: () => void) => void
}

export interface QueueMoves {
  /**
   * When a request comes for a queue, in microseconds of the database's clock, and later than all that this process has heard of;
   * 0 where it is alone, null where it was stopped: what comes then may have waited, and its client may be elsewhere by now.
   */
  readonly arrival: () => number | null
  /** The number by which a request has a queue that another one had by `before`, as the database knows. */
  readonly above: (since: number, before: number) => number
  readonly holders: () => QueueHolders
  /** A client is connected to a queue. Where it was taken up here, the others are told. */
  readonly attached: (id: string) => void
  readonly ended: (ids: ReadonlyArray<string>, reason: EndReason) => void
}

const aloneHolders: QueueHolders = { holder: null, living: [] }

export const makeQueueMoves = ({ peers, held, letGo, forget, defer }: QueueMovesOptions): QueueMoves => {
  const { own, tell, hear } = peers
  if (own === null)
    return { arrival: () => 0, above: () => 0, holders: () => aloneHolders, attached: () => {}, ended: () => {} }

  /** The newest request that this process knows of: clocks are exact to half of a round trip only. */
  let newest = 0
  let waiting: Array<readonly [id: string, since: number]> = []

  /** Many clients may return in a turn. */
  const tellTaken = (): void => {
    const told = waiting
    waiting = []
    for (let at = 0; at < told.length; at += queuesOfNote) tell("taken", told.slice(at, at + queuesOfNote))
  }

  const onTaken: NoteListener = (body) => {
    if (!isMoved(body)) return
    const kept: Array<readonly [id: string, since: number]> = []
    for (const [id, since] of body) {
      newest = Math.max(newest, since)
      const entry = held.get(id)
      if (entry === undefined) continue
      // The other one has carried out what it had read long before: it lets go again.
      if (entry.queue.connection !== null && entry.since > since) kept.push([id, entry.since])
      else letGo(entry, "replaced")
    }
    if (kept.length > 0) tell("kept", kept)
  }

  /** Whoever was connected here comes again, if they are still there: nobody is sent away for good by a clock that is not exact. */
  const onKept: NoteListener = (body) => {
    if (!isMoved(body)) return
    for (const [id, since] of body) {
      newest = Math.max(newest, since)
      const entry = held.get(id)
      if (entry !== undefined && entry.since < since) letGo(entry, "going-away")
    }
  }

  const onEnded: NoteListener = (body) => {
    if (!isEnded(body)) return
    const [reason, ids] = body
    for (const id of ids) forget(id, reason)
  }

  hear("taken", onTaken)
  hear("kept", onKept)
  hear("ended", onEnded)

  return {
    arrival: () => {
      if (own.wasStopped()) return null
      newest = Math.max(Math.round(own.now() * 1000), newest + 1)
      return newest
    },
    above: (since, before) => {
      newest = Math.max(newest, before)
      return own.wasStopped() ? since : Math.max(since, before + 1)
    },
    holders: () => ({ holder: own.name, living: own.living() }),
    attached: (id) => {
      const entry = held.get(id)
      if (entry === undefined || entry.isTold) return
      entry.isTold = true
      if (waiting.length === 0) defer(tellTaken)
      waiting.push([id, entry.since])
    },
    ended: (ids, reason) => {
      const told = reason === "deleted" ? "deleted" : "gone"
      for (let at = 0; at < ids.length; at += queuesOfNote) tell("ended", [told, ids.slice(at, at + queuesOfNote)])
    },
  }
}
