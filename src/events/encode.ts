/**
 * From a row to the bytes that clients read. The chat part registers one EventType per type; this file calls it once
 * per variant and keeps the bytes, so that the first receiver of a variant pays and all others share. An event that
 * cannot be encoded is reported and sent to nobody: if it were an error, each later read of its queues would fail too.
 */

import { type UserId, WireId } from "../ids.ts"
import type { JsonObject } from "../json.ts"
import { type EncodedEvent, encodedEventOf } from "./bytes/encoded-event.ts"
import type { Capabilities } from "./client-capabilities.ts"
import { type EventBody, emptyUserSet, type LogRow, type UserSet, wireId } from "./event.ts"

/** Options of a client, given at register: the part of a receiver that the bytes of an event may depend on. */
export interface ClientRendering extends Capabilities {
  /** The client reads messages as HTML, not as Markdown. */
  readonly rendered: boolean
  /** The client makes the addresses of gravatars itself. */
  readonly gravatar: boolean
  /** The client knows people by their ids, and needs no addresses in events about presence. */
  readonly slimPresence: boolean
}

export interface EventReceiver {
  readonly user: UserId
  readonly rendering: ClientRendering
  /** Not in the row's audience, but the client asked for all messages of public channels. */
  readonly viaPublicStreams: boolean
}

/**
 * The JSON text of a non-empty object, for events of which parts are encoded once for many receivers. It belongs to one event of
 * one row: where the same one is answered for several variants, these share its bytes.
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** An event as a client sees it, without its id. `n` counts within the row's width. */
export interface WireEvent {
  readonly n: number
  readonly event: JsonObject | JsonText
}

/**
 * How one type of event looks on the wire. All functions depend on nothing but their arguments. `variant`: receivers
 * with equal keys get equal bytes. `wire` is empty where this receiver's client does not get the event at all.
 */
export type EventType =
  | {
      /** It does not depend on the user: queues with the same `ClientOptions` share the result without a look-up. */
      readonly personal: false
      readonly variant: (body: EventBody, rendering: ClientRendering, viaPublicStreams: boolean) => string
      readonly wire: (
        body: EventBody,
        rendering: ClientRendering,
        viaPublicStreams: boolean,
      ) => ReadonlyArray<WireEvent>
    }
  | {
      readonly personal: true
      /**
       * The users whose event may differ from that of everybody else with the same `ClientOptions`: these share one
       * result, as those of a type that is not personal do. Absent or null: everybody's may differ.
       */
      readonly apart?: (body: EventBody) => UserSet | null
      /**
       * How much it takes at most to find a receiver's variant, in things that are compared; absent: next to nothing. The hub
       * looks at the clock the more often.
       */
      readonly weight?: (body: EventBody) => number
      readonly variant: (body: EventBody, receiver: EventReceiver) => string
      readonly wire: (body: EventBody, receiver: EventReceiver) => ReadonlyArray<WireEvent>
    }

const variantOf = (type: EventType, body: EventBody, receiver: EventReceiver): string =>
  type.personal ? type.variant(body, receiver) : type.variant(body, receiver.rendering, receiver.viaPublicStreams)

/** The events of a receiver, for personal and shared types alike. */
export const wireOf = (type: EventType, body: EventBody, receiver: EventReceiver): ReadonlyArray<WireEvent> =>
  type.personal ? type.wire(body, receiver) : type.wire(body, receiver.rendering, receiver.viaPublicStreams)

/** Adds the local id to the event of a message, for the queue that its sender sent it through. */
export type EchoOf = (row: LogRow, event: JsonObject, receiver: EventReceiver) => JsonObject

/** Whether a queue's narrow lets a receiver's copy of a row pass. */
export type RowFilter = (row: LogRow, receiver: EventReceiver) => boolean

export interface RowEncoder {
  /** The items of a row for a receiver, ids rising; shared between receivers of one variant. */
  readonly row: (row: LogRow, receiver: EventReceiver, echoes: boolean) => ReadonlyArray<EncodedEvent>
  /** Whether a queue's filter lets a row pass; false if the filter throws on the row. */
  readonly passes: (row: LogRow, receiver: EventReceiver, filter: RowFilter) => boolean
  /** The items of an ephemeral event, to which the hub has given the id. */
  readonly ephemeral: (body: EventBody, id: WireId, receiver: EventReceiver) => ReadonlyArray<EncodedEvent>
  /**
   * The users whose event depends on who they are, not only on what their client asked for; null: it may be everybody.
   */
  readonly apart: (body: EventBody) => UserSet | null
  /** How much it takes to find one receiver's variant (EventType). */
  readonly weight: (body: EventBody) => number
  /** Number of times that bytes were built, for the tests that count. */
  readonly encodes: () => number
}

/** The event with its id, as it is sent. */
export const eventText = (event: WireEvent["event"], id: number): string => {
  const text = event instanceof JsonText ? event.text : JSON.stringify(event)
  return `${text.slice(0, -1)},"id":${id}}`
}

const encoded = (id: WireId, event: WireEvent["event"]): Buffer => Buffer.from(eventText(event, id))

const nothing: ReadonlyArray<EncodedEvent> = []

/** About what one event of a variant takes beside its bytes. */
const linkBytes = 8

/**
 * `grew` is called with the size of a row's newly encoded bytes, which the ring counts; `onUnreadable` once for each
 * event that could not be encoded or filtered.
 */
export const makeEncoder = (
  typeOf: (type: string) => EventType,
  echoOf: EchoOf,
  grew: (row: LogRow, bytes: number) => void,
  onUnreadable: (body: EventBody, fault: unknown) => void,
): RowEncoder => {
  // Weak: the bytes of a row go when the ring lets go of the row.
  const cache = new WeakMap<LogRow, Map<string, ReadonlyArray<EncodedEvent>>>()
  // One is enough: the hub delivers one ephemeral at a time. Kept by id, because all heartbeats share one body.
  let lastEphemeral = { id: WireId(-1), variants: new Map<string, ReadonlyArray<EncodedEvent>>() }
  let encodes = 0
  const reported = new WeakSet<EventBody>()

  const report = (body: EventBody, fault: unknown): void => {
    if (reported.has(body)) return
    reported.add(body)
    onUnreadable(body, fault)
  }

  const variants = (row: LogRow): Map<string, ReadonlyArray<EncodedEvent>> => {
    const known = cache.get(row)
    if (known !== undefined) return known
    const fresh = new Map<string, ReadonlyArray<EncodedEvent>>()
    cache.set(row, fresh)
    return fresh
  }

  const echo = (row: LogRow, receiver: EventReceiver): ReadonlyArray<EncodedEvent> => {
    encodes++
    return wireOf(typeOf(row.type), row, receiver).map(({ n, event }) => {
      const id = wireId(row.position, n)
      return encodedEventOf(id, encoded(id, event instanceof JsonText ? event : echoOf(row, event, receiver)), true)
    })
  }

  const itemsOfTexts = new WeakMap<JsonText, EncodedEvent>()

  const shared = (row: LogRow, receiver: EventReceiver): ReadonlyArray<EncodedEvent> => {
    const type = typeOf(row.type)
    const known = variants(row)
    const key = variantOf(type, row, receiver)
    const found = known.get(key)
    if (found !== undefined) return found
    encodes++
    let bytes = key.length
    const packed = (more: number): void => grew(row, more)
    const items = wireOf(type, row, receiver).map(({ n, event }) => {
      const made = event instanceof JsonText ? itemsOfTexts.get(event) : undefined
      if (made !== undefined) return made
      const id = wireId(row.position, n)
      const item = encodedEventOf(id, encoded(id, event), true, packed)
      if (event instanceof JsonText) itemsOfTexts.set(event, item)
      bytes += item.bytes.length
      return item
    })
    known.set(key, items)
    grew(row, bytes + linkBytes * items.length)
    return items
  }

  const ephemeral = (body: EventBody, id: WireId, receiver: EventReceiver): ReadonlyArray<EncodedEvent> => {
    const type = typeOf(body.type)
    if (lastEphemeral.id !== id) lastEphemeral = { id, variants: new Map() }
    const { variants: known } = lastEphemeral
    const key = variantOf(type, body, receiver)
    const found = known.get(key)
    if (found !== undefined) return found
    encodes++
    const items = wireOf(type, body, receiver).map(({ event }) => encodedEventOf(id, encoded(id, event), false))
    known.set(key, items)
    return items
  }

  return {
    row: (row, receiver, echoes) => {
      try {
        return echoes ? echo(row, receiver) : shared(row, receiver)
      } catch (fault) {
        report(row, fault)
        return nothing
      }
    },
    passes: (row, receiver, filter) => {
      try {
        return filter(row, receiver)
      } catch (fault) {
        report(row, fault)
        return false
      }
    },
    ephemeral: (body, id, receiver) => {
      try {
        return ephemeral(body, id, receiver)
      } catch (fault) {
        report(body, fault)
        return nothing
      }
    },
    apart: (body) => {
      const type = typeOf(body.type)
      if (!type.personal) return emptyUserSet
      try {
        return type.apart?.(body) ?? null
      } catch (fault) {
        report(body, fault)
        return null
      }
    },
    weight: (body) => {
      const type = typeOf(body.type)
      if (!type.personal) return 0
      try {
        return type.weight?.(body) ?? 0
      } catch (fault) {
        report(body, fault)
        return 0
      }
    },
    encodes: () => encodes,
  }
}
