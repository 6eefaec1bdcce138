/** What the files about one family of events each share: the simplest event type, and one event or none. */
import type { EventType, WireEvent } from "../events/encode.ts"
import { type EventBody, isStored, type LogRow } from "../events/event.ts"

export const one = (event: WireEvent["event"]): ReadonlyArray<WireEvent> => [{ n: 0, event }]
export const none: ReadonlyArray<WireEvent> = []

/** For types that have no ephemerals. */
export const asRow = (body: EventBody): LogRow => {
  if (isStored(body)) return body
  throw new Error(`an event of type ${body.type} must be a stored row`)
}

/** Types whose bytes are the same for everybody. */
export const plain = (wire: (body: EventBody) => ReadonlyArray<WireEvent>): EventType => ({
  personal: false,
  variant: () => "",
  wire,
})
