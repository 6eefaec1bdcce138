/**
 * Faults planted on purpose, each in one part of a process, by wrapping what the program makes. The model test must
 * find every one of them: a test that never fails proves nothing.
 */

import type { EncodedEvent } from "../../../src/events/bytes/encoded-event.ts"
import { type EventType, makeEncoder } from "../../../src/events/encode.ts"
import { idSpan, positionOf, wireId } from "../../../src/events/event.ts"
import type { EventChain } from "../../../src/events/event-chain.ts"
import { DeliveryHub } from "../../../src/events/hub.ts"
import { type ReaderLists, RowPage } from "../../../src/events/past/row-page.ts"
import { RowPages } from "../../../src/events/past/row-pages.ts"
import { RowRing } from "../../../src/events/past/row-ring.ts"
import { Queue, type QueueConnection, type QueueHost } from "../../../src/events/queue.ts"
import type { QueueSpec } from "../../../src/events/queue-spec.ts"
import { type ChannelId, type UserId, WireId } from "../../../src/ids.ts"
import { ModelRealm } from "./model-realm.ts"
import { soundParts } from "./parts.ts"
import type { Parts } from "./process.ts"

class TakesTwice extends Queue {
  override offer(items: ReadonlyArray<EncodedEvent>, last: WireId): void {
    if (last > this.examined || items.length === 0) return super.offer(items, last)
    // Under new ids, with the old bytes: as if nobody had looked.
    const again = items.map((item, index) => ({ ...item, id: WireId(this.examined + 1 + index) }))
    super.offer(again, WireId(this.examined + items.length))
  }
}

class NeverFallsBack extends Queue {
  override attach(connection: QueueConnection, cursor: WireId): void {
    super.attach(connection, this.state === "live" && cursor < this.sent ? this.sent : cursor)
  }
}

class RoundsUp extends Queue {
  override attach(connection: QueueConnection, cursor: WireId): void {
    super.attach(connection, cursor < this.spec.start ? cursor : wireId(positionOf(cursor), idSpan - 1))
  }
}

class BelievesOldReadings extends Queue {
  override isReading(): boolean {
    return this.state === "behind"
  }
}

class TurnsLiveEarly extends Queue {
  override pageRead(reading: number, events: EventChain, through: WireId): void {
    super.pageRead(reading, events, through)
    this.turnLive(reading)
  }
}

class StaysStalled extends Queue {
  override drained(): void {}
}

class ThinsOut extends Queue {
  readonly #most: number
  constructor(spec: QueueSpec, host: QueueHost, cursor: WireId) {
    super(spec, host, cursor)
    this.#most = host.pendingEvents
  }
  override offer(items: ReadonlyArray<EncodedEvent>, last: WireId): void {
    super.offer(this.pendingCount + items.length > this.#most ? [] : items, last)
  }
}

class LosesRows extends RowPage {
  override select(position: number, lists: ReaderLists) {
    return super.select(position, lists).filter((row) => row.position % 7 !== 0)
  }
}

const losing = (after: number) => new LosesRows(after)

/** Gives whoever wants an older page the one that it has. */
class MixesPages extends RowPages {
  override find(position: number) {
    return super.find(position) ?? super.find(position + 1)
  }
}

class JudgesByNow extends ModelRealm {
  override subscribedAt(channel: ChannelId, user: UserId): boolean {
    return this.subscriptions.isSubscribed(channel, user)
  }
}

const withQueue = (made: new (spec: QueueSpec, host: QueueHost, cursor: WireId) => Queue): Partial<Parts> => ({
  queue: (spec, host, cursor) => new made(spec, host, cursor),
})

const forgetsItsBeginning: Parts["hub"] = (options) => {
  const started = { ...options.started }
  const hub = new DeliveryHub({ ...options, started })
  started.position = -1
  return hub
}

const sharesTooMuch: Parts["encoder"] = (typeOf, ...rest) =>
  makeEncoder((name): EventType => ({ ...typeOf(name), variant: () => "" }), ...rest)

const ignoresPublicStreams: Parts["encoder"] = (...all) => {
  const encoder = makeEncoder(...all)
  return {
    ...encoder,
    row: (row, receiver, echoes) => encoder.row(row, { ...receiver, viaPublicStreams: false }, echoes),
  }
}

const keepsIds: Parts["encoder"] = (...all) => {
  const encoder = makeEncoder(...all)
  const known = new WeakMap<object, ReadonlyArray<EncodedEvent>>()
  return {
    ...encoder,
    ephemeral: (body, id, receiver) => {
      const items = known.get(body) ?? encoder.ephemeral(body, id, receiver)
      if (body.type === "heartbeat") known.set(body, items)
      return items
    },
  }
}

/** Each fault, and the parts that have it. */
export const faults: Readonly<Record<string, Partial<Parts>>> = {
  "a queue takes what it has examined": withQueue(TakesTwice),
  "a queue does not fall behind on an older id": withQueue(NeverFallsBack),
  "a cursor inside a wide row counts as the end of the row": withQueue(RoundsUp),
  "a reading outlives its connection": withQueue(BelievesOldReadings),
  "a socket that has drained gets nothing": withQueue(StaysStalled),
  "a list that is full is thinned out": withQueue(ThinsOut),
  "a hub forgets where its process began": { hub: forgetsItsBeginning },
  "a queue turns live before it has read to the end": withQueue(TurnsLiveEarly),
  "the rows that a register's state contains are sent again": {
    spec: (stored) => ({ ...soundParts.spec(stored), contained: null }),
  },
  "a ring loses rows": { ring: (limitBytes) => new RowRing(limitBytes, losing) },
  "a shared page loses rows": { pages: (options) => new RowPages({ ...options, newPage: losing }) },
  "a shared page is taken for the one before it": { pages: (options) => new MixesPages(options) },
  "a page of the log hides that its past is gone": {
    page: (page) => ({ ...page, oldest: page.oldest === null ? null : 1 }),
  },
  "audiences of the past are judged by the sets of now": { realm: (journal) => new JudgesByNow(journal) },
  "clients that read different bytes share them": { encoder: sharesTooMuch },
  "messages by all_public_streams count as received": { encoder: ignoresPublicStreams },
  "every heartbeat has the id of the first": { encoder: keepsIds },
}
